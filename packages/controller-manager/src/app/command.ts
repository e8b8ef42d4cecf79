// The command: reads its arguments, says what is wrong with them in upstream's words, or runs the manager until it is told to stop.
//
//   process.exitCode = await newControllerManagerCommand().execute(process.argv.slice(2), world);
//
// Exit codes: 0 when it ended because it was told to, 1 for everything else.
import { type Clock, type Log, systemClock, toError } from "@kubeloop/core/base";
import { openClient } from "@kubeloop/core/client";
import { FlagError, printUsage } from "../flags/index.ts";
import {
  flagGroups,
  joinFaults,
  type KubeControllerManagerOptions,
  parseOptions,
  validateOptions,
} from "../options/index.ts";
import { userAgentOf } from "./client-builder.ts";
import { encodingOfContentType } from "./client-encoding.ts";
import { complete, newMetrics } from "./config.ts";
import { findCluster } from "./find-cluster.ts";
import { inertFlags } from "./inert-flags.ts";
import { listControllers, listFeatureGates } from "./lists.ts";
import { newLog, newVerbosity, type Verbosity } from "./new-log.ts";
import { printRbacManifests } from "./rbac-manifests.ts";
import { run } from "./run.ts";
import { gitVersion, version } from "./version.ts";

/** The outside, as far as the command touches it. */
export interface CommandWorld {
  readonly stdout: { write(text: string): void; readonly columns?: number };
  readonly stderr: { write(text: string): void };
  readonly clock?: Clock;
  /** Aborts when the process is told to stop. Asked for once the manager is to run. */
  readonly stopSignal: (options: { readonly isGraceful: boolean }) => AbortSignal;
}

const description = `kube-controller-manager runs Kubernetes' control loops: each watches part of the cluster's state through the API
server, and makes changes that bring it closer to the state that is wanted. This one is kubeloop's, in TypeScript: flags, controllers,
endpoints and metrics are Kubernetes' own.`;

export interface ControllerManagerCommand {
  execute(args: readonly string[], world: CommandWorld): Promise<number>;
}

export function newControllerManagerCommand(): ControllerManagerCommand {
  return { execute };
}

async function execute(args: readonly string[], world: CommandWorld): Promise<number> {
  const { stdout, stderr } = world;
  const groups = withMarks();
  const usage = () =>
    `Usage:\n  kube-controller-manager [flags]\n\n${printUsage(groups, { columns: stdout.columns ?? 0 })}`;
  let options: KubeControllerManagerOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    stderr.write(`${usage()}\nError: ${error.message}\n`);
    return 1;
  }
  if (options.global.help) {
    stdout.write(`${description}\n\n${usage()}`);
    return 0;
  }
  const { args: stray } = options.parsedFlags;
  if (stray.some((arg) => arg !== "")) {
    const given = stray.map((arg) => JSON.stringify(arg)).join(" ");
    stderr.write(`Error: "kube-controller-manager" does not take any arguments, got [${given}]\n`);
    return 1;
  }
  const told = await printedAnswer(options);
  if (told !== undefined) {
    stdout.write(`${told}\n`);
    return 0;
  }
  const verbosity = newVerbosity(options);
  const log = newLog(options, verbosity, world);
  const faults = validateOptions(options);
  if (faults.length > 0) {
    log.error("command failed", { error: new Error(joinFaults(faults)) });
    return 1;
  }
  try {
    await runManager(options, { ...world, log, verbosity });
    return 0;
  } catch (error) {
    log.error("command failed", { error: toError(error) });
    return 1;
  }
}

/** What some flags make it say instead of running. */
async function printedAnswer({ global, kubeloop }: KubeControllerManagerOptions): Promise<string | undefined> {
  if (global.version !== "false") return version(global.version);
  if (kubeloop.listControllers) return listControllers();
  if (kubeloop.listFeatureGates) return listFeatureGates();
  if (kubeloop.printRbacManifests) return (await printRbacManifests()).trimEnd();
  return undefined;
}

interface Running extends CommandWorld {
  readonly log: Log;
  readonly verbosity: Verbosity;
}

async function runManager(options: KubeControllerManagerOptions, world: Running): Promise<void> {
  const { log, verbosity } = world;
  log.info("Starting", { version: gitVersion });
  for (const { name } of inertFlags()) {
    const flag = flagGroups.flatMap(({ flags }) => flags).find((each) => each.name === name);
    if (flag !== undefined && options.parsedFlags.isSet(flag))
      log.warn("flag has no effect yet", { flag: `--${name}` });
  }
  for (const { flags } of flagGroups) {
    for (const flag of flags) {
      if (flag.deprecated !== undefined && options.parsedFlags.isSet(flag)) {
        log.warn(`Flag --${flag.name} has been deprecated, ${flag.deprecated}`);
      }
    }
  }
  const { generic } = options.componentConfig;
  const metrics = newMetrics(options);
  const loading = new AbortController();
  const clusterConfig = await findCluster(generic, { log, metrics }, loading.signal);
  const { clock = systemClock } = world;
  const userAgent = userAgentOf("kube-controller-manager");
  const encoding = encodingOfContentType(generic.contentType);
  await using client = openClient(clusterConfig, { clock, log, metrics, userAgent, encoding });
  const { pem: clusterCa = "" } = await clusterConfig.tls.ca.current(loading.signal);
  const config = complete({ options, client, clusterCa, log, clock, metrics, verbosity });
  const isGraceful = config.featureGates.isEnabled("ControllerManagerReleaseLeaderElectionLockOnExit");
  await run(config, world.stopSignal({ isGraceful }));
}

function withMarks() {
  const inert = new Set(inertFlags().map(({ name }) => name));
  return flagGroups.map(({ name, flags }) => ({
    name,
    flags: flags.map((flag) => (inert.has(flag.name) ? { ...flag, isInert: true } : flag)),
  }));
}
