// Scenarios on the embedded server, in virtual time: server, caches and controllers in this process, on one fake clock. With faults, requests
// of the controllers fail or lose their answers; with restarts, the controllers are aborted in the midst of their work and begin anew with
// empty caches, as after a hard kill. A run repeats from its seed.
import { ApiServer } from "@kubeloop/apiserver";
import { type FaultRule, type Transport, withFaults } from "@kubeloop/core/api";
import { FakeClock, inFlight, MetricsRegistry, type Random, seededRandom, TaskScope } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import type { Controller } from "@kubeloop/core/contract";
import { coreEventSink, EventBroadcaster, recordEventActions } from "@kubeloop/core/events";
import { MetadataSharedInformerFactory, SharedInformerFactory } from "@kubeloop/core/informer";
import { namespaces } from "@kubeloop/core/resources";
import { ControllerDriver, type Ports } from "@kubeloop/core/runtime";
import { eventually } from "@kubeloop/core/testing";
import type { Scenario, ScenarioCluster } from "./scenario.contract.ts";

export interface EmbeddedRun {
  /** Called at each start, with what runs a controller. */
  readonly controllers: (run: <M>(controller: Controller<M>) => void) => void;
  readonly ports?: Ports;
  readonly seed?: string;
  /** Of the controllers' requests; the scenario's own go through. */
  readonly faults?: readonly FaultRule[];
  /** Between the controllers and the server. */
  readonly wrap?: (transport: Transport) => Transport;
  /** How often the controllers are killed, at random moments of the first minute. */
  readonly kills?: number;
  /** Replicas of the controllers that run at once; one unless given. */
  readonly replicas?: number;
}

export async function runEmbedded(scenario: Scenario, run: EmbeddedRun): Promise<void> {
  const random = seededRandom(run.seed ?? "scenario");
  const clock = new FakeClock();
  await using server = await ApiServer.open({ clock, random: seededRandom(`${run.seed} server`) });
  const admin = clientOf(server.transport, { clock });
  const controller = new AbortController();
  const { signal } = controller;
  await admin
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "scenario" } }, signal);
  const transport = withFaults(run.wrap?.(server.transport) ?? server.transport, run.faults ?? [], {
    clock,
    random: seededRandom(`${run.seed} faults`),
  });
  const client = clientOf(transport, { clock });
  const scope = new TaskScope(signal);
  for (let i = 0; i < (run.replicas ?? 1); i++) {
    scope.spawn((each) => keepRunning({ client, clock, random }, run, each)).catch(() => {});
  }
  const cluster: ScenarioCluster = {
    client: admin,
    namespace: "scenario",
    signal,
    isDisturbed: run.faults !== undefined || run.kills !== undefined || run.replicas !== undefined,
    nowMs: () => clock.now(),
    until: (what, look) => eventually(clock, look, { what, withinMs: 1_800_000 }) as never,
    pass: (ms) => clock.advance(ms),
  };
  const drive = async () => {
    try {
      await scenario.run(cluster);
    } finally {
      controller.abort(new Error("the scenario is over"));
    }
  };
  await drive();
  await clock.runUntilIdle().catch(() => {});
  await scope.join();
}

interface Parts {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly random: Random;
}

/** Starts the controllers again each time they are killed. */
async function keepRunning(parts: Parts, run: EmbeddedRun, signal: AbortSignal): Promise<void> {
  const { clock, random } = parts;
  for (let left = run.kills ?? 0; !signal.aborted; left--) {
    const life = new TaskScope(signal);
    const lifeMs = left > 0 ? Math.floor(random.next() * 60_000) : undefined;
    using _kill = lifeMs === undefined ? undefined : clock.after(lifeMs, () => life.abort(new Error("killed")));
    await runControllers(parts, run, life.signal).catch((error: unknown) => {
      if (!life.signal.aborted) throw error;
    });
    life.abort(new Error("killed"));
    await life.join();
    if (lifeMs === undefined) return;
  }
}

async function runControllers({ client, clock, random }: Parts, run: EmbeddedRun, signal: AbortSignal): Promise<void> {
  const parts = { clock, random, freeze: true } as const;
  const informers = new SharedInformerFactory(client, parts);
  const metadata = new MetadataSharedInformerFactory(client, parts);
  const broadcaster = new EventBroadcaster({ clock, random });
  broadcaster.startRecordingToSink(coreEventSink(client));
  const drivers: { run(signal: AbortSignal): Promise<void> }[] = [];
  run.controllers((controller) => {
    const recorder = broadcaster.newRecorder({ component: controller.name });
    const driver = new ControllerDriver(controller, {
      client,
      informers,
      metadata,
      ...parts,
      metrics: new MetricsRegistry(),
      // As the manager does.
      onSyncTimeout: controller.onSyncTimeout === "start" ? "start" : "wait",
      recordEvent: recordEventActions(recorder),
      ...(run.ports === undefined ? {} : { ports: run.ports }),
    });
    drivers.push(driver);
  });
  const scope = new TaskScope(signal);
  const tasks = [
    (each: AbortSignal) => broadcaster.run(each),
    (each: AbortSignal) => informers.run(each),
    (each: AbortSignal) => metadata.run(each),
    ...drivers.map((driver) => (each: AbortSignal) => driver.run(each)),
  ];
  for (const task of tasks) void scope.spawn(task);
  await inFlight(clock, "controllers", async () => {});
  await scope.join();
}
