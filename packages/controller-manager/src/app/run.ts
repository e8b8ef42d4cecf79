// The life of the process: serve about itself, lead, run the controllers, end.
//
//   1. the HTTPS endpoints are served, leader or not
//   2. with leader election, wait for the lease
//   3. leading: make the context, build the controllers, start the informer factories, run the controllers
//   4. told to stop: the controllers finish the keys they are at, their events are written, then the lease is given back. Having lost the
//      lease: a LostLeaseError, and the process must end, because another replica is at work. Controllers that do not end in time: the lease
//      is not given back, because they may still write.
import { hostname } from "node:os";
import type { Transport } from "@kubeloop/core/api";
import { KubeloopError, TaskScope } from "@kubeloop/core/base";
import { electionMetrics, LeaderElector, LeaseLock } from "@kubeloop/core/election";
import { coreEventSink, EventBroadcaster } from "@kubeloop/core/events";
import { HealthChecks } from "@kubeloop/core/runtime";
import { type ManagerFacts, openManagerMetrics, readLabelAllowLists, runningControllers } from "../metrics/index.ts";
import { flagGroups, readVersions, toConfigz } from "../options/index.ts";
import { selectControllers } from "../select-controllers.ts";
import { newSecureServing } from "../serving/index.ts";
import { RootClientBuilder, ServiceAccountClientBuilder } from "./client-builder.ts";
import type { CompletedConfig } from "./config.ts";
import { createControllerContext } from "./controller-context.ts";
import {
  type ControllerDescriptor,
  controllerDescriptors,
  newControllerInitializers,
} from "./controller-descriptors.ts";
import { leaderHealthCheck } from "./leader-health.ts";
import { newUuid } from "./new-uuid.ts";
import { runTasks, ShutdownTimeoutError, type Task } from "./run-tasks.ts";
import { startControllers } from "./start-controllers.ts";
import { gitVersion } from "./version.ts";

/** Another replica may be leading by now: the process must end. */
export class LostLeaseError extends KubeloopError {
  override readonly name = "LostLeaseError";
}

/** What the parts of one process share. */
interface Parts {
  readonly rootClientBuilder: RootClientBuilder;
  readonly healthz: HealthChecks;
  /** By controller: filled when they are started. */
  readonly debugHandlers: Map<string, Transport>;
}

/** Ends without an error only if the signal aborted and everything ended in time. */
export async function run(config: CompletedConfig, signal: AbortSignal): Promise<void> {
  const { clock, random, log, metrics, componentConfig } = config;
  metrics.allowLabels(await readLabelAllowLists(config.options.metrics));
  using _measuring = openManagerMetrics(metrics, managerFacts(config));
  const rootClientBuilder = new RootClientBuilder(config.client, componentConfig.generic, metrics);
  const healthz = new HealthChecks({ clock });
  const parts: Parts = { rootClientBuilder, healthz, debugHandlers: new Map() };
  const serving = await newSecureServing(
    {
      ...config,
      ...parts,
      component: "kube-controller-manager",
      flagGroups,
      configz: () => toConfigz(componentConfig),
      isProfiling: componentConfig.generic.enableProfiling,
    },
    signal,
  );
  const events = new EventBroadcaster({ clock, random, log, metrics });
  events.startRecordingToSink(coreEventSink(rootClientBuilder.clientFor("kube-controller-manager")));
  // Outlives the election, which says at its end that it leads no longer.
  const ending = new AbortController();
  await using around = new TaskScope(ending.signal);
  void around.spawn((each) => events.run(each));
  const scope = new TaskScope(signal);
  try {
    if (serving !== undefined) {
      void scope.spawn((each) => serving.run(each));
      await serving.server.whenReady(scope.signal);
    }
    const { leaderElect } = componentConfig.generic;
    void scope.spawn((each) =>
      leaderElect
        ? lead(config, parts, events, each)
        : runControllers(config, { ...parts, isStopping: () => true }, each),
    );
    await scope.join();
  } finally {
    scope.abort(signal.reason);
    await Promise.allSettled([scope.join()]);
    ending.abort(signal.reason);
  }
}

function managerFacts({ options, featureGates }: CompletedConfig): ManagerFacts {
  const { version: emulatedVersion, minCompatibilityVersion } = readVersions(options.componentGlobals);
  return { featureGates, gitVersion, emulatedVersion, minCompatibilityVersion };
}

async function lead(
  config: CompletedConfig,
  parts: Parts,
  events: EventBroadcaster,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, log, metrics, componentConfig, featureGates } = config;
  const { generic } = componentConfig;
  const { resourceName: name, resourceNamespace: namespace } = generic;
  const elector = new LeaderElector({
    lock: new LeaseLock(parts.rootClientBuilder.clientFor("leader-election"), { namespace, name }),
    identity: `${hostname()}_${newUuid(random)}`,
    leaseDurationMs: generic.leaseDurationMs,
    renewDeadlineMs: generic.renewDeadlineMs,
    retryPeriodMs: generic.retryPeriodMs,
    releaseOnStop: (failure) =>
      featureGates.isEnabled("ControllerManagerReleaseLeaderElectionLockOnExit") &&
      !(failure instanceof ShutdownTimeoutError),
    clock,
    random,
    log,
    observer: electionMetrics(metrics, name),
    recorder: events.newRecorder({ component: "kube-controller-manager" }),
  });
  parts.healthz.add("leaderElection", leaderHealthCheck(elector));
  const why = await elector.run(
    {
      onStartedLeading: (leadership) =>
        // A lease that is lost may be somebody else's already: then nothing may be finished.
        runControllers(config, { ...parts, isStopping: () => signal.aborted }, leadership.signal),
    },
    signal,
  );
  if (why === "stopped") return;
  throw new LostLeaseError(why === "lost" ? "leader election lost" : "the controllers have ended", {
    reason: "LostLease",
  });
}

/** Left of the shutdown timeout for what ends after the controllers' last keys. */
const drainReserveMs = 500;

interface RunParts extends Parts {
  /** Told to stop, and not because the lease was lost. */
  readonly isStopping: () => boolean;
}

/** While this replica leads. */
async function runControllers(config: CompletedConfig, parts: RunParts, signal: AbortSignal): Promise<void> {
  const { clock, random, log, componentConfig } = config;
  const { generic, kubeCloudShared } = componentConfig;
  const { rootClientBuilder, healthz, debugHandlers } = parts;
  const accounts = new Set(controllerDescriptors.map(({ serviceAccount }) => serviceAccount));
  const clientBuilder = kubeCloudShared.useServiceAccountCredentials
    ? new ServiceAccountClientBuilder(rootClientBuilder, { clock, isServiceAccount: (name) => accounts.has(name) })
    : rootClientBuilder;
  const selected = new Set(selectControllers(generic.controllers, controllerDescriptors).selected);
  const aliases = new Map(controllerDescriptors.map(({ name, alias }) => [name, alias ?? name]));
  const setRunning = runningControllers(config.metrics);
  // Upstream's label has the names of 1.18.
  const whileRunning = async (name: string, task: () => Promise<void>) => {
    setRunning(aliases.get(name) ?? name, true);
    try {
      await task();
    } finally {
      setRunning(aliases.get(name) ?? name, false);
    }
  };
  const tasks: Task[] = [];
  const context = await createControllerContext(
    config,
    {
      rootClientBuilder,
      clientBuilder,
      addTask: (name, task) => tasks.push({ name, run: (each) => whileRunning(name, () => task(each)) }),
      drainMs: () => (parts.isStopping() ? Math.max(0, generic.controllerShutdownTimeoutMs - drainReserveMs) : 0),
      isControllerEnabled: ({ name }: ControllerDescriptor) => selected.has(name),
    },
    signal,
  );
  // The informers release it when they end, but a start that fails begins none.
  using _name = context.informerName;
  const started = await startControllers(context, newControllerInitializers(context.loopMode), healthz);
  for (const { descriptor, result } of started) {
    if (result.debugHandler !== undefined) debugHandlers.set(descriptor.name, result.debugHandler);
  }
  // The informers outlive the controllers: a key that is being finished may read a cache once more.
  const informing = new AbortController();
  const scope = new TaskScope(informing.signal);
  if (config.informers === undefined) void scope.spawn((each) => context.informerFactory.run(each));
  if (config.metadataInformers === undefined) void scope.spawn((each) => context.metadataInformerFactory.run(each));
  context.informersStarted.resolve();
  const { controllerStartIntervalMs: startIntervalMs, controllerShutdownTimeoutMs: shutdownTimeoutMs } = generic;
  const running = runTasks(tasks, { startIntervalMs, shutdownTimeoutMs, clock, random, log }, signal);
  try {
    // An informer factory that fails ends the controllers, too: they would go on with what they have cached.
    await (scope.size === 0 ? running : Promise.race([running, scope.join()]));
  } finally {
    informing.abort(signal.reason);
    await Promise.allSettled([scope.join()]);
  }
}
