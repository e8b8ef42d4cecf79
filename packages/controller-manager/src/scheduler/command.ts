// The command kube-scheduler: reads its arguments, says what is wrong with them in upstream's words, or places pods until it is told to stop.
//
// Exit codes: 0 when it ended because it was told to, 1 for everything else.
import { readFile, writeFile } from "node:fs/promises";
import { systemClock, toError } from "@kubeloop/core/base";
import { openClient, parseJsonOrYaml, printYaml } from "@kubeloop/core/client";
import { userAgentOf } from "../app/client-builder.ts";
import type { CommandWorld, ControllerManagerCommand } from "../app/command.ts";
import { newMetrics } from "../app/config.ts";
import { findCluster } from "../app/find-cluster.ts";
import { newLog, newVerbosity } from "../app/new-log.ts";
import { gitVersion, version } from "../app/version.ts";
import { FlagError, printUsage } from "../flags/index.ts";
import { gateOptions, joinFaults, readFeatureGates, validateComponent } from "../options/index.ts";
import { checkStart, schedulerConfigurationOf } from "./configuration.ts";
import { givenInertFlags, withInertMarks } from "./inert-flags.ts";
import { type KubeSchedulerOptions, parseSchedulerOptions, schedulerFlagGroups } from "./options.ts";
import { runScheduler, type SchedulerProcess } from "./run.ts";

const description = `kube-scheduler decides on which node each pod runs. This one is kubeloop's, in TypeScript: flags, configuration, endpoints,
metrics and decisions are Kubernetes' own.`;

export function newSchedulerCommand(): ControllerManagerCommand {
  return { execute };
}

async function execute(args: readonly string[], world: CommandWorld): Promise<number> {
  const { stdout, stderr } = world;
  const usage = () =>
    `Usage:\n  kube-scheduler [flags]\n\n${printUsage(withInertMarks(schedulerFlagGroups), { columns: stdout.columns ?? 0 })}`;
  let options: KubeSchedulerOptions;
  try {
    options = parseSchedulerOptions(args);
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
    stderr.write(`Error: "kube-scheduler" does not take any arguments, got [${given}]\n`);
    return 1;
  }
  if (options.global.version !== "false") {
    stdout.write(`${version(options.global.version)}\n`);
    return 0;
  }
  const verbosity = newVerbosity(options);
  const log = newLog(options, verbosity, world);
  try {
    const faults = validateComponent(options);
    if (faults.length > 0) throw new Error(joinFaults(faults));
    await start(options, { ...world, log, verbosity });
    return 0;
  } catch (error) {
    log.error("command failed", { error: toError(error) });
    return 1;
  }
}

type Running = CommandWorld & Pick<SchedulerProcess, "log" | "verbosity">;

async function start(options: KubeSchedulerOptions, world: Running): Promise<void> {
  const { log, verbosity, clock = systemClock } = world;
  const { config, writeConfigTo, master } = options.misc;
  const document = config === "" ? undefined : await parseJsonOrYaml(await readConfig(config));
  const configuration = schedulerConfigurationOf(options, document);
  checkStart(options, configuration);
  if (writeConfigTo !== "") {
    await writeFile(writeConfigTo, await printYaml(sortKeys(configuration.document)));
    log.info("Wrote configuration", { file: writeConfigTo });
    return;
  }
  log.info("Starting Kubernetes Scheduler", { version: gitVersion });
  for (const given of givenInertFlags(schedulerFlagGroups, options.parsedFlags)) log.warn("flag has no effect", given);
  warnOfGates(options, world);
  const metrics = newMetrics(options);
  const signal = world.stopSignal({ isGraceful: true });
  const { kubeconfig = "", qps, burst } = configuration;
  const cluster = await findCluster({ kubeconfig, master }, { log, metrics }, signal);
  const userAgent = userAgentOf("scheduler", "kube-scheduler");
  await using client = openClient(cluster, { clock, log, metrics, userAgent, qps, burst });
  await runScheduler({ options, configuration, client, log, clock, metrics, verbosity }, signal);
}

/** Throws Go's words for a file that cannot be read. */
async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const words: Readonly<Record<string, string>> = {
      ENOENT: "no such file or directory",
      EACCES: "permission denied",
    };
    throw new Error(words[code] === undefined ? toError(error).message : `open ${path}: ${words[code]}`);
  }
}

/** Upstream writes fields by name. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sortKeys(each)]));
}

/** The decisions are those of the defaults: a gate that was set to something else changes nothing here. */
function warnOfGates(options: KubeSchedulerOptions, { log }: Running): void {
  const set = gateOptions(options);
  const defaults = new Map(
    readFeatureGates({ emulatedVersion: set.emulatedVersion })
      .gates.all()
      .map((gate) => [gate.name, gate.isOn]),
  );
  for (const { name, isOn } of readFeatureGates(set).gates.all()) {
    if (defaults.get(name) !== isOn)
      log.warn("feature gate has no effect on what the scheduler decides", { gate: name });
  }
}
