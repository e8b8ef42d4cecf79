// Scenarios on the embedded server, in virtual time: server, caches and controllers in this process, on one fake clock. With faults, requests
// of the controllers fail or lose their answers, and watches are cut; with kills, the controllers are aborted in the midst of their work, after
// some request of theirs, and begin anew with empty caches; with contention, two replicas of them are elected, and the leader is disturbed. A
// run repeats from its seed.
import { ApiServer } from "@kubeloop/apiserver";
import { type FaultRule, type Transport, withFaults } from "@kubeloop/core/api";
import { FakeClock, MetricsRegistry, seededRandom, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { namespaces, serviceCIDRs } from "@kubeloop/core/resources";
import { eventually } from "@kubeloop/core/testing";
import { Contention } from "./contention.contract.ts";
import { type Controllers, type RunningParts, runControllers, withoutLoops } from "./run-controllers.contract.ts";
import type { Scenario, ScenarioCluster } from "./scenario.contract.ts";

export interface EmbeddedRun {
  readonly controllers: Controllers;
  readonly seed?: string;
  /** Of the controllers' requests; the scenario's own go through. */
  readonly faults?: readonly FaultRule[];
  /** Between the controllers and the server. */
  readonly wrap?: (transport: Transport) => Transport;
  /** How often the controllers are killed, each time after a few requests of theirs. */
  readonly kills?: number;
  /** Two replicas contend for a lease, and whoever leads is killed, cut off or stopped so often, each time after a few requests of its. */
  readonly leadersDisturbed?: number;
}

/** How much a run was disturbed. */
export interface Disturbance {
  readonly kills: number;
  readonly faults: number;
  /** How often a replica began to lead. */
  readonly terms: number;
}

const patienceMs = 60_000;
/**
 * Back-off grows to a minute while things fail; and to empty a namespace takes one look in which each of more than thirty requests succeeds, which
 * is one in twenty where eight of a hundred fail.
 */
const disturbedPatienceMs = 4 * 3_600_000;

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
  // Both families, as the real clusters of these scenarios have them. Services have IPv4 addresses only, unless they ask for more.
  const cidrs = ["10.0.0.0/16", "fd00:10::/112"];
  await admin.resource(serviceCIDRs).patch("kubernetes", { type: "merge", body: { spec: { cidrs } } }, signal);
  const transport = withFaults(run.wrap?.(server.transport) ?? server.transport, run.faults ?? [], {
    clock,
    random: random.fork("faults"),
  });
  const parts: RunningParts = { transport, clock, random, metrics: new MetricsRegistry(), panics: [] };
  const killed = { count: 0 };
  const contention = run.leadersDisturbed === undefined ? undefined : new Contention(run.leadersDisturbed, parts);
  await using scope = new TaskScope(signal);
  const running = scope.spawn((each) =>
    contention === undefined ? keepRunning(run, parts, killed, each) : contention.run(run.controllers, each),
  );
  const isDisturbed = run.faults !== undefined || run.kills !== undefined || contention !== undefined;
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
  } catch (error) {
    // What a controller did wrong is why the fact does not hold.
    throw parts.panics[0] ?? error;
  } finally {
    stop.abort(new Error("the scenario is over"));
    await clock.runUntilIdle();
  }
  const [panic] = parts.panics;
  if (panic !== undefined) throw panic;
  return { kills: killed.count, faults: transport.injected.length, terms: contention?.terms ?? 1 };
}

/** Starts the controllers again each time they are killed. */
async function keepRunning(
  { controllers, kills = 0 }: EmbeddedRun,
  parts: RunningParts,
  killed: { count: number },
  signal: AbortSignal,
): Promise<void> {
  const draw = parts.random.fork("kills");
  for (let left = kills; !signal.aborted; left--) {
    const life = new TaskScope(signal);
    let requestsLeft = left > 0 ? 2 + Math.floor(draw.next() * 6) : Number.POSITIVE_INFINITY;
    const counted: Transport = async (request, each) => {
      const response = await parts.transport(request, each);
      if (--requestsLeft === 0) {
        killed.count++;
        life.abort(new Error("killed"));
      }
      return response;
    };
    try {
      await life.spawn((each) =>
        runControllers(controllers, { ...parts, transport: withoutLoops(counted, parts.clock) }, each),
      );
    } catch (error) {
      if (!life.signal.aborted) throw error;
    }
    life.abort(new Error("killed"));
    await life.join();
  }
}
