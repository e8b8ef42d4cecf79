// Runs a controller like that of replica sets under faults, from a seed: a tenth of all responses is lost, watches are behind by minutes,
// connections break, history is compacted, children are deleted, sets are scaled and created again. After every write that the server has
// carried out, the children are counted: there must never be too many, and, if no other client deletes any, never too few. At the end of
// each phase the faults stop, and then the numbers must be right.
import { createHash } from "node:crypto";
import { pods, replicaSets } from "../../api/generated/resources.ts";
import {
  type ApiRequest,
  type appsv1,
  type corev1,
  type FaultRule,
  queryValue,
  requestInfoOf,
  type Transport,
  withFaults,
} from "../../api/index.ts";
import { FakeClock, type Random, randomBelow, randomBetween, seededRandom } from "../../base/index.ts";
import type { Controller } from "../../contract/index.ts";
import type { ControllerDriverOptions } from "../../runtime/index.ts";
import { openFakeServer } from "../simulation/fake-server.fixture.ts";
import type { OpenServer } from "../simulation/simulated-server.fixture.ts";
import { type Naming, replicaController } from "./replica.fixture.ts";
import { SimulatedStage } from "./replica-simulation-stage.fixture.ts";

export interface SimulationResult {
  readonly seed: number;
  /** The first failure, if there was one. */
  readonly failure: string | undefined;
  readonly creates: number;
  readonly deletes: number;
  /** The number of requests whose response could be lost: those sent while faults are active, without watches. */
  readonly requests: number;
  readonly lost: number;
  readonly virtualMs: number;
  readonly skips: number;
  readonly settlements: number;
  /** A hash of all requests and writes with their times. Two runs of the same seed have the same digest. */
  readonly digest: string;
}

export interface SimulationOptions {
  /** The fake server unless given. */
  readonly open?: OpenServer | undefined;
  /** Makes the controller to test; the one with rules unless given. */
  readonly newController?: ((naming: Naming) => Controller) | undefined;
  /** Replaces the gate by one with a bug. */
  readonly wrapGate?: NonNullable<ControllerDriverOptions["wrapGate"]> | undefined;
}

/** One response in ten is lost, of reads and of writes. */
const rules: readonly FaultRule[] = [
  { name: "lost answer", fault: { kind: "reset", when: "after" }, match: notWatch(), probability: 0.07 },
  { name: "no answer", fault: { kind: "silence" }, match: notWatch(), probability: 0.03 },
  { name: "not sent", fault: { kind: "reset", when: "before" }, match: notWatch(), probability: 0.02 },
  { name: "refused", fault: { kind: "status", code: 500 }, match: notWatch(), probability: 0.02 },
  {
    name: "too many",
    fault: { kind: "status", code: 429, retryAfterSeconds: 1 },
    match: notWatch(),
    probability: 0.02,
  },
  {
    name: "slow",
    fault: { kind: "delay", delayMs: { minMs: 1, maxMs: 2000 }, when: "after" },
    match: notWatch(),
    probability: 0.1,
  },
];

interface Bounds {
  readonly most: number;
  readonly least: number;
}

class Simulation {
  readonly clock = new FakeClock();
  readonly random: Random;
  readonly names: readonly string[];
  readonly bounds = new Map<string, Bounds>();
  readonly naming: Naming;
  isStormy = false;
  killsChildren = false;
  failure: string | undefined;
  creates = 0;
  deletes = 0;
  requests = 0;
  readonly #notes = createHash("sha256");

  constructor(seed: number) {
    this.random = seededRandom(`replicas ${seed}`);
    this.naming = this.random.next() < 0.6 ? "generated" : "ordinal";
    this.names = Array.from({ length: 1 + randomBelow(this.random, 3) }, (_, i) => `set${i}`);
  }

  note(what: string): void {
    this.#notes.update(`${this.clock.monotonic()} ${what}\n`);
  }

  digest(): string {
    return this.#notes.digest("hex");
  }

  /** Counts the children after each write request that the server has answered. */
  counting(stage: () => SimulatedStage, transport: Transport): Transport {
    return async (request, signal) => {
      const response = await transport(withContainers(request), signal);
      if (request.method === "POST" && response.status === 201) this.creates++;
      if (request.method === "DELETE" && response.status === 200) this.deletes++;
      if (request.method !== "GET") this.count(stage(), request.method);
      return response;
    };
  }

  count(stage: SimulatedStage, method: string): void {
    for (const [uid, { most, least }] of this.bounds) {
      const alive = stage.childrenOf(uid);
      const where = `at ${this.clock.monotonic()} ms, after ${method}`;
      if (alive > most) this.failure ??= `${alive} children of ${uid} where at most ${most} were ever wanted, ${where}`;
      if (method === "DELETE" && !this.killsChildren && alive < least) {
        this.failure ??= `${alive} children of ${uid} where at least ${least} were always wanted, ${where}`;
      }
    }
  }
}

export async function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  const run = new Simulation(seed);
  const { random, clock } = run;
  let lost = 0;
  const { newController = replicaController, open = openFakeServer } = options;
  const server = await open({
    clock,
    random: seededRandom(`server ${seed}`),
    resources: [pods, replicaSets],
    namespaces: ["shop"],
    onWritten: ({ resource, revision }) => run.note(`${revision} ${resource.plural}`),
  });
  const faulty = withFaults(
    run.counting(() => stage, server.transport),
    rules,
    { clock, random: seededRandom(`faults ${seed}`), isActive: () => run.isStormy },
  );
  const transport: Transport = async (request, signal) => {
    const before = faulty.injected.length;
    run.note(`${request.method} ${request.path}`);
    if (run.isStormy && queryValue(request.query, "watch") !== "true") run.requests++;
    const answer = faulty(request, signal);
    lost += faulty.injected.slice(before).filter(({ rule }) => rule === "lost answer" || rule === "no answer").length;
    return await answer;
  };
  const stage = new SimulatedStage(newController(run.naming), {
    clock,
    server,
    transport,
    driver: {
      settleAfterMs: 10_000,
      requestTimeoutMs: 20_000,
      ...(options.wrapGate === undefined ? {} : { wrapGate: options.wrapGate }),
    },
  });
  {
    await using _stage = stage;
    for (const name of run.names) await server.create(replicaSets, newSet(name, randomBelow(random, 6)));
    const phases = 3 + randomBelow(random, 3);
    for (let phase = 0; phase < phases && run.failure === undefined; phase++) await playPhase(run, stage);
  }
  const text = stage.metrics.print();
  const { failure, creates, deletes, requests } = run;
  const read = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)`, "m").exec(text)?.[1] ?? 0);
  return {
    ...{ seed, failure, creates, deletes, requests, lost, virtualMs: clock.monotonic(), digest: run.digest() },
    skips: read("kubeloop_stale_sync_skips_total"),
    settlements: read("kubeloop_settling_reads_total"),
  };
}

/** Changes the sets, runs for some time with faults, and then without. */
async function playPhase(run: Simulation, stage: SimulatedStage): Promise<void> {
  const { random, clock } = run;
  const { server } = stage;
  run.killsChildren = random.next() < 0.4;
  run.isStormy = true;
  for (const name of run.names) await change(run, stage, name);
  for (let gusts = 2 + randomBelow(random, 5); gusts > 0 && run.failure === undefined; gusts--) {
    if (random.next() < 0.8) server.fallBehind();
    if (random.next() < 0.2) server.endWatches("reset");
    if (random.next() < 0.1) await server.compact();
    if (server.restart !== undefined && random.next() < 0.1) await server.restart();
    const [killsNow] = server.list(pods).filter(() => random.next() < 0.2);
    if (run.killsChildren && killsNow !== undefined) await stage.kill(killsNow.metadata.name);
    await clock.advance(randomBetween(random, 1000, 300_000));
    server.catchUp();
    await clock.advance(randomBetween(random, 0, 20_000));
  }
  run.isStormy = false;
  // After this time, garbage collection deletes the pods that were created for a set which only a late cache still had.
  await clock.advance(10 * 60_000);
  await stage.collectGarbage();
  await clock.advance(30 * 60_000);
  for (const name of run.names) {
    const set = server.get(replicaSets, `shop/${name}`);
    const alive = stage.childrenOf(set?.metadata.uid ?? "");
    const wanted = set?.spec?.replicas ?? 0;
    if (alive !== wanted) run.failure ??= `${alive} children of ${name} in calm weather, ${wanted} are wanted`;
    run.bounds.set(set?.metadata.uid ?? "", { most: wanted, least: wanted });
  }
}

/** Changes the number of replicas, or replaces the set by another with the same name. */
async function change(run: Simulation, stage: SimulatedStage, name: string): Promise<void> {
  const { server } = stage;
  const replicas = randomBelow(run.random, 7);
  const stored = server.get(replicaSets, `shop/${name}`);
  if (stored !== undefined && run.random.next() < 0.15) {
    run.bounds.delete(stored.metadata.uid ?? "");
    await server.delete(replicaSets, `shop/${name}`);
    await stage.collectGarbage();
  }
  const left = server.get(replicaSets, `shop/${name}`);
  if (left === undefined) {
    const { metadata } = await server.create(replicaSets, newSet(name, replicas));
    run.bounds.set(metadata.uid ?? "", { most: replicas, least: 0 });
    return;
  }
  const { uid = "" } = left.metadata;
  const before = left.spec?.replicas ?? 0;
  // The bounds are set before the write, because the controller may act on the change before the writer receives the response.
  // There is a lower bound only if an earlier phase without faults has brought the set to its number of children.
  const least = run.bounds.has(uid) ? Math.min(before, replicas) : 0;
  run.bounds.set(uid, { most: Math.max(before, replicas), least });
  await server.update(replicaSets, { ...left, spec: newSet(name, replicas).spec } as appsv1.ReplicaSet);
}

/** Adds a container to new pods, as an admission webhook would, because a real server refuses a pod without containers. */
function withContainers(request: ApiRequest): ApiRequest {
  const info = requestInfoOf(request);
  const isPod = info.isResourceRequest && info.verb === "create" && info.resource === "pods";
  if (!isPod || request.body.kind !== "value") return request;
  const pod = request.body.value as corev1.Pod;
  return { ...request, body: { kind: "value", value: { ...pod, spec: { ...pod.spec, containers } } } };
}

const containers = [{ name: "main", image: "none" }] as const;

function newSet(name: string, replicas: number): appsv1.ReplicaSet {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { namespace: "shop", name }, spec };
}

function notWatch(): NonNullable<FaultRule["match"]> {
  return { verbs: ["get", "list", "create", "update", "patch", "delete"] };
}

export interface SimulationSum {
  readonly seeds: number;
  readonly failures: readonly string[];
  readonly creates: number;
  readonly deletes: number;
  /** The number of requests whose response could be lost: those sent while faults are active, without watches. */
  readonly requests: number;
  readonly lost: number;
  readonly skips: number;
  readonly settlements: number;
  readonly virtualHours: number;
}

/** Runs seeds one after the other. Stops when `maxFailures` seeds have failed; three unless given. */
export async function simulateMany(
  range: { readonly first: number; readonly count: number; readonly maxFailures?: number } & SimulationOptions,
): Promise<SimulationSum> {
  const { first, count, maxFailures = 3, ...options } = range;
  const results: SimulationResult[] = [];
  const failed = () => results.filter(({ failure }) => failure !== undefined);
  while (results.length < count && failed().length < maxFailures) {
    results.push(await simulate(first + results.length, options));
  }
  const sum = (numberOf: (result: SimulationResult) => number) =>
    results.reduce((all, each) => all + numberOf(each), 0);
  return {
    seeds: results.length,
    failures: failed().map(({ seed, failure }) => `seed ${seed}: ${failure}`),
    creates: sum(({ creates }) => creates),
    deletes: sum(({ deletes }) => deletes),
    requests: sum(({ requests }) => requests),
    lost: sum(({ lost }) => lost),
    skips: sum(({ skips }) => skips),
    settlements: sum(({ settlements }) => settlements),
    virtualHours: Math.round(sum(({ virtualMs }) => virtualMs) / 3_600_000),
  };
}
