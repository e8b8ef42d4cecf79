// The life of kube-scheduler's process: serve about itself, wait for the lease, place pods, end. Who has lost the lease ends with a LostLeaseError,
// because another replica is at work by then.
import { hostname } from "node:os";
import { type Clock, type Log, type Random, systemRandom, TaskScope } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { HealthChecks } from "@kubeloop/core/runtime";
import { runAsLeader, Scheduler, type SchedulerConfiguration } from "@kubeloop/scheduler";
import { newUuid } from "../app/new-uuid.ts";
import { gitVersion } from "../app/version.ts";
import { type KubeMetrics, openManagerMetrics, readLabelAllowLists } from "../metrics/index.ts";
import { gateOptions, readFeatureGates, readVersions } from "../options/index.ts";
import { newSecureServing } from "../serving/index.ts";
import { type KubeSchedulerOptions, schedulerFlagGroups } from "./options.ts";
import { podResourcesHandler } from "./pod-resources.ts";

/** A leader that has not renewed for so long after its lease ran out fails its probes: upstream's value. */
const leaderHealthToleranceMs = 20_000;

export interface SchedulerProcess {
  readonly options: KubeSchedulerOptions;
  readonly configuration: SchedulerConfiguration;
  readonly client: Client;
  readonly log: Log;
  readonly clock: Clock;
  readonly random?: Random;
  readonly metrics: KubeMetrics;
  readonly verbosity: { get(): number; set(level: number): void };
}

/** Ends without an error only if the signal aborted. */
export async function runScheduler(parts: SchedulerProcess, signal: AbortSignal): Promise<void> {
  const { options, configuration, client, log, clock, random = systemRandom, metrics } = parts;
  metrics.allowLabels(await readLabelAllowLists(options.metrics));
  const featureGates = readFeatureGates(gateOptions(options)).gates;
  const { version: emulatedVersion, minCompatibilityVersion } = readVersions(options.componentGlobals);
  using _measuring = openManagerMetrics(metrics, {
    featureGates,
    gitVersion,
    emulatedVersion,
    minCompatibilityVersion,
  });
  const { profiles, podInitialBackoffMs, podMaxBackoffMs, leaderElection, enableProfiling } = configuration;
  const tools = { client, clock, random, log, metrics };
  const { podMaxUnschedulableMs } = options.deprecated;
  const scheduler = new Scheduler({ ...tools, profiles, podInitialBackoffMs, podMaxBackoffMs, podMaxUnschedulableMs });
  const elects = leaderElection !== undefined;
  const healthz = new HealthChecks({ clock, hasPing: !elects });
  const readyz = new HealthChecks({ clock, hasPing: false });
  const livez = new HealthChecks({ clock });
  let elector: { findFault(toleranceMs: number): string | undefined } | undefined;
  for (const checks of elects ? [healthz, readyz] : []) {
    checks.add("leaderElection", () => elector?.findFault(leaderHealthToleranceMs));
  }
  readyz.add("shutdown", () => (signal.aborted ? "process is shutting down" : undefined));
  // A replica that stands by is ready; one that leads is when it knows the cluster.
  let isLeading = !elects;
  readyz.add("sched-handler-sync", () =>
    isLeading && !scheduler.isSynced ? "handlers are not fully synchronized" : undefined,
  );
  const serving = await newSecureServing(
    {
      ...parts,
      random,
      featureGates,
      component: "kube-scheduler",
      flagGroups: schedulerFlagGroups,
      configz: () => ({ componentconfig: configuration.document }),
      isProfiling: enableProfiling,
      healthz,
      probes: { livez, readyz },
      moreRoutes: { "/metrics/resources": podResourcesHandler(() => (isLeading ? scheduler.pods : undefined)) },
    },
    signal,
  );
  const lead = async (each: AbortSignal) => {
    if (leaderElection === undefined) return await scheduler.run(each);
    const leading = {
      run: async (whileLeading: AbortSignal) => {
        isLeading = true;
        await scheduler.run(whileLeading);
      },
    };
    const identity = `${hostname()}_${newUuid(random)}`;
    const onElector = (made: NonNullable<typeof elector>) => {
      elector = made;
    };
    await runAsLeader(leading, { ...tools, ...leaderElection, identity, onElector }, each);
  };
  const scope = new TaskScope(signal);
  try {
    if (serving !== undefined) {
      void scope.spawn((each) => serving.run(each));
      await serving.server.whenReady(scope.signal);
    }
    void scope.spawn(lead);
    await scope.join();
  } finally {
    scope.abort(signal.reason);
    await Promise.allSettled([scope.join()]);
  }
}
