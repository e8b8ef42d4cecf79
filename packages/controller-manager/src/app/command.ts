// The command: reads its arguments, says what is wrong with them in upstream's words, or runs the manager until it is told to stop.
//
//   process.exitCode = await newControllerManagerCommand().execute(process.argv.slice(2), world);
//
// component-command.ts has what it shares with other components.
import { systemClock } from "@kubeloop/core/base";
import { openClient } from "@kubeloop/core/client";
import { flagGroups, type KubeControllerManagerOptions, parseOptions, validateOptions } from "../options/index.ts";
import { userAgentOf } from "./client-builder.ts";
import { encodingOfContentType } from "./client-encoding.ts";
import { type CommandWorld, type Component, executeComponent, type RunningWorld } from "./component-command.ts";
import { complete, newMetrics } from "./config.ts";
import { findCluster } from "./find-cluster.ts";
import { inertFlags } from "./inert-flags.ts";
import { listControllers, listFeatureGates } from "./lists.ts";
import { printRbacManifests } from "./rbac-manifests.ts";
import { run } from "./run.ts";
import { gitVersion, version } from "./version.ts";

const description = `kube-controller-manager runs Kubernetes' control loops: each watches part of the cluster's state through the API
server, and makes changes that bring it closer to the state that is wanted. This one is kubeloop's, in TypeScript: flags, controllers,
endpoints and metrics are Kubernetes' own.`;

export interface ControllerManagerCommand {
  execute(args: readonly string[], world: CommandWorld): Promise<number>;
}

export function newControllerManagerCommand(): ControllerManagerCommand {
  return { execute: (args, world) => executeComponent(controllerManager, args, world) };
}

/** What some flags make it say instead of running. */
async function printedAnswer({ global, kubeloop }: KubeControllerManagerOptions): Promise<string | undefined> {
  if (global.version !== "false") return version(global.version);
  if (kubeloop.listControllers) return listControllers();
  if (kubeloop.listFeatureGates) return listFeatureGates();
  if (kubeloop.printRbacManifests) return (await printRbacManifests()).trimEnd();
  return undefined;
}

async function runManager(options: KubeControllerManagerOptions, world: RunningWorld): Promise<void> {
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

const controllerManager: Component<KubeControllerManagerOptions> = {
  name: "kube-controller-manager",
  description,
  flagGroups: withMarks,
  parse: parseOptions,
  answer: printedAnswer,
  validate: validateOptions,
  run: runManager,
};

function withMarks() {
  const inert = new Set(inertFlags().map(({ name }) => name));
  return flagGroups.map(({ name, flags }) => ({
    name,
    flags: flags.map((flag) => (inert.has(flag.name) ? { ...flag, isInert: true } : flag)),
  }));
}
