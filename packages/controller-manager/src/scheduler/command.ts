// The command kube-scheduler: reads its arguments, says what is wrong with them in upstream's words, or places pods until it is told to stop.
// ../app/component-command.ts has what it shares with other components.
import { readFile, writeFile } from "node:fs/promises";
import { systemClock } from "@kubeloop/core/base";
import { openClient, parseJsonOrYaml, printYaml } from "@kubeloop/core/client";
import { userAgentOf } from "../app/client-builder.ts";
import { encodingOfContentType } from "../app/client-encoding.ts";
import type { ControllerManagerCommand } from "../app/command.ts";
import { type Component, executeComponent, type RunningWorld } from "../app/component-command.ts";
import { newMetrics } from "../app/config.ts";
import { findCluster } from "../app/find-cluster.ts";
import { gitVersion, version } from "../app/version.ts";
import { gateOptions, readFeatureGates, validateComponent } from "../options/index.ts";
import { schedulerConfigurationOf, toSchedulerDocument } from "./configuration.ts";
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
  flagGroups: () => schedulerFlagGroups,
  parse: parseSchedulerOptions,
  answer: async ({ global }) => (global.version === "false" ? undefined : version(global.version)),
  validate: (options) => validateComponent(options, [...checkElection(options)]),
  run: start,
};

function* checkElection({ leaderElection }: KubeSchedulerOptions) {
  const { leaderElect, resourceLock } = leaderElection;
  if (leaderElect && resourceLock !== "leases") yield 'resourceLock value must be "leases"';
}

async function start(options: KubeSchedulerOptions, world: RunningWorld): Promise<void> {
  const { log, verbosity, clock = systemClock } = world;
  const { config, writeConfigTo, master } = options.misc;
  const document = config === "" ? undefined : await parseJsonOrYaml(await readFile(config, "utf8"));
  const configuration = schedulerConfigurationOf(options, document);
  if (writeConfigTo !== "") {
    await writeFile(writeConfigTo, await printYaml(toSchedulerDocument(configuration)));
    log.info("Wrote configuration to", { file: writeConfigTo });
    return;
  }
  log.info("Starting Kubernetes Scheduler", { version: gitVersion });
  warnOfGates(options, world);
  const metrics = newMetrics(options);
  const signal = world.stopSignal({ isGraceful: true });
  const { kubeconfig = "", qps, burst } = configuration;
  const cluster = await findCluster({ kubeconfig, master }, { log, metrics }, signal);
  const userAgent = userAgentOf("scheduler", "kube-scheduler");
  const encoding = encodingOfContentType(options.deprecated.contentType);
  await using client = openClient(cluster, { clock, log, metrics, userAgent, qps, burst, encoding });
  await runScheduler({ options, configuration, client, log, clock, metrics, verbosity }, signal);
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
