// The scheduler on an embedded API server in virtual time, while things go wrong: requests fail or lose their answers, watches are cut or expire, the
// process is killed after some request, or two replicas contend for the lease and the leader is killed, cut off or stopped. A run repeats from its seed.
//
// Promise: every binding that the server accepts is looked at, also one whose answer is lost. A pod that is bound twice, and a node with more on it
// than it has, fail the run.
import { ApiServer } from "@kubeloop/apiserver";
import { type FaultRule, type Transport, TransportError, withFaults } from "@kubeloop/core/api";
import { FakeClock, KubeloopError, noLog, type SeededRandom, seededRandom, TaskScope } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { namespaces, nodes, pods, priorityClasses } from "@kubeloop/core/resources";
import { eventually } from "@kubeloop/core/testing";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { type PodFacts, pod } from "../cluster.fixture.ts";
import { LostLeaseError, runAsLeader } from "../driver/run-as-leader.ts";
import { Scheduler } from "../driver/scheduler.ts";
import { nodeInfoOf } from "../snapshot/node-info.ts";

const writes = ["create", "update", "patch", "delete"];

/** One request in twenty fails or loses its answer, some come late, and of the watches many are cut or have expired. */
export const faults: readonly FaultRule[] = [
  { name: "refused", fault: { kind: "status", code: 503 }, probability: 0.05 },
  { name: "conflict", fault: { kind: "status", code: 409 }, match: { verbs: ["patch"] }, probability: 0.05 },
  { name: "never sent", fault: { kind: "reset", when: "before" }, probability: 0.05 },
  { name: "answer lost", fault: { kind: "reset", when: "after" }, match: { verbs: writes }, probability: 0.05 },
  { name: "late", fault: { kind: "delay", delayMs: 300, when: "after" }, match: { verbs: writes }, probability: 0.05 },
  { name: "expired", fault: { kind: "status", code: 410 }, match: { verbs: ["watch"] }, probability: 0.1 },
  { name: "watch cut", fault: { kind: "cut", after: 2, how: "reset" }, match: { verbs: ["watch"] }, probability: 0.3 },
  // What was written is seen later than it is answered.
  {
    name: "watch late",
    fault: { kind: "delay", delayMs: 700, when: "before" },
    match: { verbs: ["watch"] },
    probability: 0.3,
  },
];

export type Kind = "killed twice" | "two replicas";

export interface DisturbedCluster {
  readonly client: Client;
  readonly signal: AbortSignal;
  addNode(node: Node): Promise<void>;
  create(name: string, facts?: PodFacts): Promise<void>;
  /** All pods there are. */
  pods(): Promise<readonly Pod[]>;
  until(what: string, look: () => Promise<boolean>): Promise<void>;
  /** Lets time go by. */
  pass(ms: number): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly run: (cluster: DisturbedCluster) => Promise<void>;
}

/** How much a run was disturbed. */
export interface Disturbance {
  readonly faults: number;
  /** How often a scheduler began to work. */
  readonly lives: number;
}

const patienceMs = 3_600_000;
const longestCutMs = 40_000;
const disturbancesOfLeaders = 3;

export async function runDisturbed(scenario: Scenario, kind: Kind, seed: string): Promise<Disturbance> {
  const random = seededRandom(seed);
  const clock = new FakeClock();
  await using server = await ApiServer.open({ clock, random: random.fork("server") });
  const client = clientOf(server.transport, { clock });
  const stop = new AbortController();
  const { signal } = stop;
  await prepare(client, signal);
  const watched = new WatchedBindings(server.transport, client, signal);
  const transport = withFaults(watched.transport, faults, { clock, random: random.fork("faults") });
  const replicas = new Replicas(transport, clock, random);
  await using scope = new TaskScope(signal);
  const running = scope.spawn((each) =>
    kind === "killed twice" ? replicas.runKilled(2, each) : replicas.runContending(each),
  );
  const cluster = clusterOf(client, clock, signal);
  try {
    await Promise.race([
      scenario.run(cluster),
      running.then(() => Promise.reject(new Error("the scheduler has ended"))),
    ]);
    await watched.check();
  } catch (error) {
    // An invariant that broke is why the end is not as it should be.
    throw watched.broken[0] ?? error;
  } finally {
    stop.abort(new Error("the scenario is over"));
    await clock.runUntilIdle();
  }
  const [broken] = watched.broken;
  if (broken !== undefined) throw broken;
  return { faults: transport.injected.length, lives: replicas.lives };
}

async function prepare(client: Client, signal: AbortSignal): Promise<void> {
  for (const name of ["default", "kube-system"]) {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } } as const;
    await client
      .resource(namespaces)
      .create(namespace, signal)
      .catch(() => {});
  }
  for (const [name, value] of [
    ["low", 1],
    ["high", 1000],
  ] as const) {
    const priorityClass = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
    } as const;
    await client.resource(priorityClasses).create(priorityClass, signal);
  }
}

function clusterOf(client: Client, clock: FakeClock, signal: AbortSignal): DisturbedCluster {
  const inDefault = client.resource(pods).in("default");
  return {
    client,
    signal,
    addNode: async (added) => {
      const { metadata } = await client.resource(nodes).create(added, signal);
      const patch = { type: "merge", body: { spec: { taints: added.spec?.taints ?? null } } } as const;
      await client.resource(nodes).patch(metadata.name ?? "", patch, signal);
    },
    create: async (name, facts = {}) => {
      const { metadata, spec, status: _, ...made } = pod(name, facts);
      const { uid: __, ...named } = metadata;
      const containers = spec.containers.map((container) => ({ image: "app", ...container }));
      const grace = { terminationGracePeriodSeconds: 0 };
      await inDefault.create({ ...made, metadata: named, spec: { ...grace, ...spec, containers } }, signal);
    },
    pods: () => listPods(client, signal),
    until: async (what, look) => {
      await eventually(clock, look, { what, withinMs: patienceMs });
    },
    pass: (ms) => clock.advance(ms),
  };
}

async function listPods(client: Client, signal: AbortSignal): Promise<readonly Pod[]> {
  const found: Pod[] = [];
  for await (const each of client.resource(pods).list({}, signal)) found.push(each);
  return found;
}

/** Looks at the cluster after every binding that the server has accepted. */
class WatchedBindings {
  readonly broken: Error[] = [];
  readonly #inner: Transport;
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #bound = new Map<string, string>();

  constructor(inner: Transport, client: Client, signal: AbortSignal) {
    this.#inner = inner;
    this.#client = client;
    this.#signal = signal;
  }

  readonly transport: Transport = async (request, signal) => {
    const response = await this.#inner(request, signal);
    if (request.method === "POST" && request.path.endsWith("/binding") && response.status === 201) await this.check();
    return response;
  };

  async check(): Promise<void> {
    const all = await listPods(this.#client, this.#signal);
    for (const { metadata, spec } of all) {
      const { uid = "", name = "" } = metadata;
      const { nodeName = "" } = spec;
      const before = this.#bound.get(uid);
      if (before !== undefined && before !== nodeName) this.#break(`${name} was on ${before} and is on "${nodeName}"`);
      if (nodeName !== "") this.#bound.set(uid, nodeName);
    }
    for await (const node of this.#client.resource(nodes).list({}, this.#signal)) {
      const { allocatable, requestedMilliCpu, podCount } = nodeInfoOf(
        node,
        all.filter(({ spec }) => spec.nodeName === node.metadata.name),
      );
      if (requestedMilliCpu > allocatable.milliCpu || podCount > allocatable.pods) {
        this.#break(`${node.metadata.name} has ${requestedMilliCpu}m of ${allocatable.milliCpu}m requested`);
      }
    }
  }

  #break(message: string): void {
    this.broken.push(new KubeloopError(message, { reason: "InvariantBroken", retry: "never" }));
  }
}

/** Keeps schedulers running on a network that is disturbed. */
class Replicas {
  readonly #transport: Transport;
  readonly #clock: FakeClock;
  readonly #random: SeededRandom;
  readonly #draw: SeededRandom;
  #disturbancesLeft = disturbancesOfLeaders;
  lives = 0;

  constructor(transport: Transport, clock: FakeClock, random: SeededRandom) {
    this.#transport = transport;
    this.#clock = clock;
    this.#random = random;
    this.#draw = random.fork("disturbances");
  }

  /** One scheduler without an election, which is killed so often and begins anew with empty caches. */
  async runKilled(kills: number, signal: AbortSignal): Promise<void> {
    for (let left = kills; !signal.aborted; left--) {
      let requestsLeft = left > 0 ? 20 + this.#below(40) : Number.POSITIVE_INFINITY;
      await this.#live((life) => {
        const counted: Transport = async (request, each) => {
          const response = await this.#transport(request, each);
          if (--requestsLeft === 0) life.abort(new Error("killed"));
          return response;
        };
        void life.spawn((each) => this.#scheduler(counted).run(each));
      }, signal);
    }
  }

  /** Two replicas with an election. */
  async runContending(signal: AbortSignal): Promise<void> {
    const scope = new TaskScope(signal);
    for (const name of ["a", "b"]) {
      void scope.spawn(async (each) => {
        for (let life = 1; !each.aborted; life++) await this.#contend(`${name}-${life}`, each);
      });
    }
    await scope.join();
  }

  async #contend(identity: string, signal: AbortSignal): Promise<void> {
    await this.#live((life) => {
      let isDead = false;
      let cutUntilMs = 0;
      let requestsLeft = 20 + this.#below(40);
      const network: Transport = (request, each) => {
        if (isDead || this.#clock.monotonic() < cutUntilMs)
          throw new TransportError(`${identity} is cut off or dead`, { reason: "ConnectionReset", wasSent: "no" });
        return this.#transport(request, each);
      };
      const ofScheduler: Transport = async (request, each) => {
        const response = await network(request, each);
        if (--requestsLeft !== 0 || this.#disturbancesLeft-- <= 0) return response;
        const kind = this.#below(3);
        if (kind === 0) cutUntilMs = this.#clock.monotonic() + this.#below(longestCutMs);
        else {
          isDead = kind === 1;
          life.abort(new Error(`${identity} is killed or stopped`));
        }
        return response;
      };
      const options = {
        client: clientOf(network, { clock: this.#clock, log: noLog }),
        identity,
        clock: this.#clock,
        random: this.#random.fork(identity),
        log: noLog,
      };
      void life.spawn((each) => runAsLeader(this.#scheduler(ofScheduler), options, each));
    }, signal);
  }

  /** One process, from its start to its end. What ends it by itself is only the loss of its lease. */
  async #live(start: (life: TaskScope) => void, signal: AbortSignal): Promise<void> {
    const life = new TaskScope(signal);
    start(life);
    try {
      await life.join();
    } catch (error) {
      if (!life.signal.aborted && !(error instanceof LostLeaseError)) throw error;
    }
  }

  #scheduler(transport: Transport): { run(signal: AbortSignal): Promise<void> } {
    const clock = this.#clock;
    const options = { client: clientOf(transport, { clock, log: noLog }), clock, log: noLog, hostName: "host" };
    return {
      run: async (signal) => {
        this.lives++;
        await new Scheduler({ ...options, random: this.#random.fork(`life ${this.lives}`) }).run(signal);
      },
    };
  }

  #below(limit: number): number {
    return Math.floor(this.#draw.next() * limit);
  }
}
