// The life of the process: serve about itself, lead, run the controllers, end.
//
//   1. the HTTPS endpoints are served, leader or not
//   2. with leader election, wait for the lease
//   3. leading: make the context, build the controllers, start the informers, open the gate, run the controllers
//   4. told to stop: the controllers finish what they are at, then the lease is given back. Having lost the lease: a LostLeaseError, and the
//      process must end, because another replica is at work.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Transport } from "@kubeloop/core/api";
import { KubeloopError, TaskScope } from "@kubeloop/core/base";
import { electionMetrics, LeaderElector, LeaseLock } from "@kubeloop/core/election";
import { coreEventSink, EventBroadcaster } from "@kubeloop/core/events";
import { HealthChecks } from "@kubeloop/core/runtime";
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
import { runTasks, type Task } from "./run-tasks.ts";
import { startControllers } from "./start-controllers.ts";

/** Another replica may be leading by now: the process must end. */
export class LostLeaseError extends KubeloopError {
  override readonly name = "LostLeaseError";
}

const leaderHealthToleranceMs = 20_000;

export async function run(config: CompletedConfig, signal: AbortSignal): Promise<void> {
  const { clock, random, log, metrics, componentConfig, featureGates } = config;
  const { generic } = componentConfig;
  const rootClientBuilder = new RootClientBuilder(config.client, generic);
  const healthz = new HealthChecks({ clock });
  const events = new EventBroadcaster({ clock, random, log, metrics });
  events.startRecordingToSink(coreEventSink(rootClientBuilder.clientFor("kube-controller-manager")));
  const debugHandlers = new Map<string, Transport>();
  const serving = await newSecureServing({ ...config, healthz, debugHandlers }, signal);
  await using scope = new TaskScope(signal);
  void scope.spawn((each) => events.run(each));
  if (serving !== undefined) {
    void scope.spawn((each) => serving.run(each));
    await serving.server.whenReady(signal);
  }

  const parts = { healthz, debugHandlers };
  if (!generic.leaderElect) return await runControllers(config, parts, signal);

  const { resourceName: name, resourceNamespace: namespace } = generic;
  const lock = new LeaseLock(rootClientBuilder.clientFor("leader-election"), { namespace, name });
  const elector = new LeaderElector({
    lock,
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: generic.leaseDurationMs,
    renewDeadlineMs: generic.renewDeadlineMs,
    retryPeriodMs: generic.retryPeriodMs,
    releaseOnStop: featureGates.isEnabled("ControllerManagerReleaseLeaderElectionLockOnExit"),
    clock,
    random,
    log,
    observer: electionMetrics(metrics, name),
    recorder: events.newRecorder({ component: "kube-controller-manager" }),
  });
  healthz.add("leaderElection", () => elector.findFault(leaderHealthToleranceMs));
  const reason = await elector.run(
    { onStartedLeading: (leadership) => runControllers(config, parts, leadership.signal) },
    signal,
  );
  if (reason === "lost") throw new LostLeaseError("leader election lost", { reason: "LostLease" });
}

/** What the endpoints tell of the controllers: filled when they are started. */
interface ServedParts {
  readonly healthz: HealthChecks;
  readonly debugHandlers: Map<string, Transport>;
}

/** While this replica leads. */
async function runControllers(config: CompletedConfig, served: ServedParts, signal: AbortSignal): Promise<void> {
  const { clock, random, log, componentConfig } = config;
  const { generic, kubeCloudShared } = componentConfig;
  const rootClientBuilder = new RootClientBuilder(config.client, generic);
  const accounts = new Map(controllerDescriptors.map(({ name, serviceAccount }) => [name, serviceAccount]));
  const clientBuilder = kubeCloudShared.useServiceAccountCredentials
    ? new ServiceAccountClientBuilder(rootClientBuilder, { clock, serviceAccountOf: (name) => accounts.get(name) })
    : rootClientBuilder;
  const selected = new Set(selectControllers(generic.controllers, controllerDescriptors).selected);
  const tasks: Task[] = [];
  const context = await createControllerContext(
    config,
    {
      rootClientBuilder,
      clientBuilder,
      addTask: (name, task) => tasks.push({ name, run: task }),
      isControllerEnabled: ({ name }: ControllerDescriptor) => selected.has(name),
    },
    signal,
  );
  const started = await startControllers(context, newControllerInitializers(context.loopMode), served.healthz);
  for (const { descriptor, result } of started) {
    if (result.debugHandler !== undefined) served.debugHandlers.set(descriptor.name, result.debugHandler);
  }
  await using scope = new TaskScope(signal);
  if (config.informers === undefined) void scope.spawn((each) => context.informerFactory.run(each));
  if (config.metadataInformers === undefined) void scope.spawn((each) => context.metadataInformerFactory.run(each));
  context.informersStarted.resolve();
  await runTasks(
    tasks,
    {
      startIntervalMs: generic.controllerStartIntervalMs,
      shutdownTimeoutMs: generic.controllerShutdownTimeoutMs,
      clock,
      random,
      log,
    },
    signal,
  );
}
