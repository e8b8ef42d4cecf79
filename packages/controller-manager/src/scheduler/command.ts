// The command kube-scheduler: reads its arguments, says what is wrong with them in upstream's words, or places pods until it is told to stop.
// ../app/component-command.ts has what it shares with other components.
import { readFile, writeFile } from "node:fs/promises";
import { systemClock, toError } from "@kubeloop/core/base";
import { openClient, parseJsonOrYaml, printYaml } from "@kubeloop/core/client";
import { userAgentOf } from "../app/client-builder.ts";
import { encodingOfContentType } from "../app/client-encoding.ts";
import type { ControllerManagerCommand } from "../app/command.ts";
import { type Component, executeComponent, type RunningWorld } from "../app/component-command.ts";
import { newMetrics } from "../app/config.ts";
import { findCluster } from "../app/find-cluster.ts";
import { gitVersion, version } from "../app/version.ts";
import { gateOptions, readFeatureGates, validateComponent } from "../options/index.ts";
import { checkStart, schedulerConfigurationOf } from "./configuration.ts";
import { givenInertFlags, withInertMarks } from "./inert-flags.ts";
import { type KubeSchedulerOptions, parseSchedulerOptions, schedulerFlagGroups } from "./options.ts";
import { runScheduler } from "./run.ts";

const description = `kube-scheduler decides on which node each pod runs. This one is kubeloop's, in TypeScript: flags, configuration, endpoints,
metrics and decisions are Kubernetes' own.`;

export function newSchedulerCommand(): ControllerManagerCommand {
  return { execute: (args, world) => executeComponent(scheduler, args, world) };
}

const scheduler: Component<KubeSchedulerOptions> = {
  name: "kube-scheduler",
  description,
  flagGroups: () => withInertMarks(schedulerFlagGroups),
  parse: parseSchedulerOptions,
  answer: async ({ global }) => (global.version === "false" ? undefined : version(global.version)),
  validate: (options) => validateComponent(options),
  run: start,
};

async function start(options: KubeSchedulerOptions, world: RunningWorld): Promise<void> {
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
  const encoding = encodingOfContentType(configuration.document.clientConnection.contentType);
  await using client = openClient(cluster, { clock, log, metrics, userAgent, qps, burst, encoding });
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
function warnOfGates(options: KubeSchedulerOptions, { log }: RunningWorld): void {
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
