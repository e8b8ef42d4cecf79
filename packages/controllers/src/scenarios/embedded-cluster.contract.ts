// Scenarios on the embedded server, in virtual time: server, caches and controllers in this process, on one fake clock. With faults, requests
// of the controllers fail or lose their answers, and watches are cut; with kills, the controllers are aborted in the midst of their work, after
// some request of theirs, and begin anew with empty caches. A run repeats from its seed.
import { ApiServer } from "@kubeloop/apiserver";
import { type FaultRule, type Transport, withFaults } from "@kubeloop/core/api";
import {
  FakeClock,
  type Log,
  type LogFields,
  MetricsRegistry,
  noLog,
  type Random,
  seededRandom,
  TaskScope,
} from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import type { Controller } from "@kubeloop/core/contract";
import { coreEventSink, EventBroadcaster, recordEventActions } from "@kubeloop/core/events";
import { MetadataSharedInformerFactory, SharedInformerFactory } from "@kubeloop/core/informer";
import { namespaces } from "@kubeloop/core/resources";
import { ControllerDriver, PanicError, type Ports } from "@kubeloop/core/runtime";
import { eventually } from "@kubeloop/core/testing";
import type { Scenario, ScenarioCluster } from "./scenario.contract.ts";

export interface EmbeddedRun {
  /** Called at each start, with what runs a controller. */
  readonly controllers: (run: <M>(controller: Controller<M>, ports?: Ports) => void, parts: ControllerParts) => void;
  readonly seed?: string;
  /** Of the controllers' requests; the scenario's own go through. */
  readonly faults?: readonly FaultRule[];
  /** Between the controllers and the server. */
  readonly wrap?: (transport: Transport) => Transport;
  /** How often the controllers are killed, each time after a few requests of theirs. */
  readonly kills?: number;
}

/** What ports may be made of. */
export interface ControllerParts {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly random: Random;
}

/** How much a run was disturbed. */
export interface Disturbance {
  readonly kills: number;
  readonly faults: number;
}

const patienceMs = 60_000;
/** Back-off may grow while things fail. */
const disturbedPatienceMs = 1_800_000;
/** Nobody needs so many requests without time going by. */
const mostRequestsAtOnce = 20_000;

export async function runEmbedded(scenario: Scenario, run: EmbeddedRun): Promise<void> {
  await runDisturbed(scenario, run);
}

/** The same, and says how much it was disturbed. */
export async function runDisturbed(scenario: Scenario, run: EmbeddedRun): Promise<Disturbance> {
  const random = seededRandom(run.seed ?? "undisturbed");
  const clock = new FakeClock();
  await using server = await ApiServer.open({ clock, random: random.fork("server") });
  const admin = clientOf(server.transport, { clock });
  const stop = new AbortController();
  const { signal } = stop;
  const namespace = "scenario";
  await admin
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, signal);
  const transport = withFaults(run.wrap?.(server.transport) ?? server.transport, run.faults ?? [], {
    clock,
    random: random.fork("faults"),
  });
  const metrics = new MetricsRegistry();
  const killed = { count: 0 };
  const panics: Error[] = [];
  await using scope = new TaskScope(signal);
  const running = scope.spawn((each) => keepRunning(run, { transport, clock, random, metrics, killed, panics }, each));
  const isDisturbed = run.faults !== undefined || run.kills !== undefined;
  const withinMs = isDisturbed ? disturbedPatienceMs : patienceMs;
  const cluster: ScenarioCluster = {
    client: admin,
    namespace,
    signal,
    isDisturbed,
    nowMs: () => clock.now(),
    until: (what, look) => eventually(clock, look, { what, withinMs }) as never,
    pass: (ms) => clock.advance(ms),
  };
  try {
    // Controllers that cannot run end the scenario with their own error, not with a fact that does not hold.
    await Promise.race([
      scenario.run(cluster),
      running.then(() => Promise.reject(new Error("the controllers have ended"))),
    ]);
  } finally {
    stop.abort(new Error("the scenario is over"));
    await clock.runUntilIdle();
  }
  const [panic] = panics;
  if (panic !== undefined) throw panic;
  return { kills: killed.count, faults: transport.injected.length };
}

interface Parts {
  readonly transport: Transport;
  readonly clock: FakeClock;
  readonly random: ReturnType<typeof seededRandom>;
  readonly metrics: MetricsRegistry;
  readonly killed: { count: number };
  readonly panics: Error[];
}

/** Starts the controllers again each time they are killed. */
async function keepRunning(run: EmbeddedRun, parts: Parts, signal: AbortSignal): Promise<void> {
  const draw = parts.random.fork("kills");
  for (let left = run.kills ?? 0; !signal.aborted; left--) {
    const life = new TaskScope(signal);
    let requestsLeft = left > 0 ? 2 + Math.floor(draw.next() * 6) : Number.POSITIVE_INFINITY;
    const counted: Transport = async (request, each) => {
      const response = await parts.transport(request, each);
      if (--requestsLeft === 0) {
        parts.killed.count++;
        life.abort(new Error("killed"));
      }
      return response;
    };
    try {
      await life.spawn((each) =>
        runControllers(run, { ...parts, transport: withoutLoops(counted, parts.clock) }, each),
      );
    } catch (error) {
      if (!life.signal.aborted) throw error;
    }
    life.abort(new Error("killed"));
    await life.join();
  }
}

/** Fails what would otherwise hang: requests without end at one moment of virtual time. */
function withoutLoops(transport: Transport, clock: FakeClock): Transport {
  let atMs = -1;
  let count = 0;
  return (request, signal) => {
    if (clock.monotonic() !== atMs) {
      atMs = clock.monotonic();
      count = 0;
    }
    if (++count > mostRequestsAtOnce) throw new Error(`more than ${mostRequestsAtOnce} requests at one moment: a loop`);
    return transport(request, signal);
  };
}

async function runControllers(run: EmbeddedRun, parts: Parts, signal: AbortSignal): Promise<void> {
  const { clock, random, metrics, transport, panics } = parts;
  const client = clientOf(transport, { clock });
  const common = { clock, random, freeze: true } as const;
  const informers = new SharedInformerFactory(client, common);
  const metadata = new MetadataSharedInformerFactory(client, common);
  const broadcaster = new EventBroadcaster({ clock, random });
  broadcaster.startRecordingToSink(coreEventSink(client));
  const scope = new TaskScope(signal);
  run.controllers(
    (controller, ports) => {
      const recorder = broadcaster.newRecorder({ component: controller.name });
      const driver = new ControllerDriver(controller, {
        client,
        informers,
        metadata,
        ...common,
        metrics,
        log: panicLog(panics),
        // As the manager does.
        onSyncTimeout: controller.onSyncTimeout === "start" ? "start" : "wait",
        recordEvent: recordEventActions(recorder),
        ...(ports === undefined ? {} : { ports }),
      });
      void scope.spawn((each) => driver.run(each));
    },
    { client, clock, random },
  );
  void scope.spawn((each) => broadcaster.run(each));
  void scope.spawn((each) => informers.run(each));
  void scope.spawn((each) => metadata.run(each));
  await scope.join();
  signal.throwIfAborted();
}

/** Keeps the panics among what is logged: a mapping, an index or a rule that throws is the controller's own mistake. */
function panicLog(panics: Error[]): Log {
  const keep = (_message: string, { error }: LogFields = {}) => {
    if (error instanceof PanicError) panics.push(error);
  };
  return { ...noLog, warn: keep, error: keep, with: () => panicLog(panics) };
}
