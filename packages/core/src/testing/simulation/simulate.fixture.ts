// One run of the simulation: a shared informer runs against a server in virtual time, while other clients write and faults occur. At the end
// writes and faults stop, and then the cache, and the objects known to each handler, must be those of the server.
import { createHash } from "node:crypto";
import { configMaps, pods } from "../../api/generated/resources.ts";
import { type corev1, keyOf, withFaults } from "../../api/index.ts";
import { FakeClock, noLog, randomBelow } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { newListWatchFromClient } from "../../informer/reflector/list-watch.ts";
import type { ResourceEventHandlerRegistration } from "../../informer/shared/registration.ts";
import { SharedIndexInformer } from "../../informer/shared/shared-index-informer.ts";
import { findLeaks } from "../leak-check.ts";
import { busyClock } from "./busy-clock.fixture.ts";
import { CacheCheck, shardIndex, shardsOf } from "./cache-check.fixture.ts";
import { Disturbances } from "./disturbances.fixture.ts";
import { chance } from "./draw.fixture.ts";
import { openFakeServer } from "./fake-server.fixture.ts";
import { HandlerRecord } from "./handler-record.fixture.ts";
import { withOddAnswers } from "./odd-answers.fixture.ts";
import { withPaceCheck } from "./pace-check.fixture.ts";
import { type HandlerPlan, type Scenario, scenarioOf } from "./scenario.fixture.ts";
import type { OpenServer, SimulatedServer, WrittenObject } from "./simulated-server.fixture.ts";
import { Truth } from "./truth.fixture.ts";
import { Writer, writtenNamespaces } from "./writer.fixture.ts";

export interface SimulationResult {
  readonly seed: number;
  /** The violations, in the order in which they were detected. Empty if the run was correct. */
  readonly violations: readonly string[];
  /** How often each fault, disturbance and row of the reflector's table occurred. */
  readonly hits: ReadonlyMap<string, number>;
  readonly writes: number;
  readonly calls: number;
  readonly virtualMs: number;
  /** A hash of all writes, hits and events of handlers, with their times. Two runs of the same seed have the same digest. */
  readonly digest: string;
}

/** What the last list of a run came in. */
export const encodingNames = ["lists come as values", "lists come in json", "lists come in protobuf"] as const;

/** Called for each hit, to follow a run. */
export type Trace = (atMs: number, name: string) => void;

export interface SimulateOptions {
  /** The fake server unless given. */
  readonly open?: OpenServer;
  readonly trace?: Trace;
}

export async function simulate(seed: number, options: SimulateOptions = {}): Promise<SimulationResult> {
  const { open = openFakeServer, trace } = options;
  const scenario = scenarioOf(seed);
  const { random, body, behaviour, hasSelector, hasTransform } = scenario;
  const clock = new FakeClock();
  const truth = new Truth({
    isShown: (pod) => !hasSelector || ["a", "b"].includes(pod.metadata.labels?.["shard"] ?? ""),
    shownAs: (pod) => (hasTransform ? transform(pod) : pod),
  });
  const writes = createHash("sha256");
  const server = await open({
    clock,
    random: random.fork("server"),
    resources: [pods, configMaps],
    namespaces: writtenNamespaces,
    body,
    behaviour,
    onWritten(written) {
      writes.update(`${clock.monotonic()} ${written.revision} ${written.resource.plural}\n`);
      if (isOfPod(written)) truth.record(written);
    },
  });
  const result = await new Simulation(scenario, { clock, truth, server, trace }).run();
  return { ...result, digest: writes.update(result.digest).digest("hex") };
}

function isOfPod(written: WrittenObject): written is WrittenObject & Parameters<Truth["record"]>[0] {
  return written.resource.kind === "Pod";
}

interface Parts {
  readonly clock: FakeClock;
  readonly truth: Truth;
  readonly server: SimulatedServer;
  readonly trace: Trace | undefined;
}

interface Listening {
  readonly plan: HandlerPlan;
  readonly record: HandlerRecord;
  readonly registration: ResourceEventHandlerRegistration;
}

/**
 * The longest time until the cache must be correct: a dead watch is detected only at the time
 * when it should have ended, and then there is a backoff.
 */
const settleLimitMs = 25 * 60_000;
/** The number of writes after the last fault. An informer that no longer receives events misses these writes. */
const lastWrites = 15;
const maxViolations = 20;
const selector = "shard in (a,b)";
const never = new AbortController().signal;

class Simulation {
  readonly #scenario: Scenario;
  readonly #trace: Trace | undefined;
  readonly #clock: FakeClock;
  readonly #truth: Truth;
  readonly #server: SimulatedServer;
  readonly #told = createHash("sha256");
  readonly #disturbances: Disturbances;
  readonly #writer: Writer;
  readonly #informer: SharedIndexInformer<corev1.Pod>;
  readonly #check: CacheCheck;
  readonly #hits = new Map<string, number>();
  readonly #violations: string[] = [];
  readonly #injected: () => readonly { readonly rule: string }[];
  #listening: Listening[] = [];
  #waiting: readonly HandlerPlan[];
  #written = 0;
  #calls = 0;
  #isCalm = false;
  /** No more writes follow, and all pending work must finish. */
  #isSettling = false;
  #isVersionOmitted = false;

  constructor(scenario: Scenario, { clock: fakeClock, truth, server, trace }: Parts) {
    this.#scenario = scenario;
    this.#clock = fakeClock;
    this.#truth = truth;
    this.#server = server;
    this.#trace = trace;
    const { random } = scenario;
    this.#waiting = scenario.handlers;
    this.#disturbances = new Disturbances(server, {
      random: random.fork("disturbances"),
      theme: scenario.theme,
      onHit: (name) => this.#hit(name),
    });
    this.#writer = new Writer({ server, random: random.fork("writes") });
    const odd = withOddAnswers(this.#disturbances.transport, {
      random: random.fork("odd answers"),
      oddEventChance: scenario.oddEventChance,
      canOmitVersion: () => scenario.canOmitVersion && this.#written === 0,
      onHit: (name) => {
        this.#hit(name);
        if (name !== "list without a version") return;
        this.#isVersionOmitted = true;
        // The cache of the following watch must not be behind either, because the watch has no version to start from.
        this.#server.catchUp();
      },
    });
    const isActive = () => !this.#isCalm && !this.#needsPeace();
    const faulty = withFaults(odd, scenario.faults, { clock: this.#clock, random: random.fork("faults"), isActive });
    this.#injected = () => faulty.injected;
    const paced = withPaceCheck(faulty, this.#clock, (what) => this.#violate(what));
    const clock = busyClock(this.#clock, random.fork("busy"), () => (this.#isSettling ? 0 : scenario.busyChance));
    const client = clientOf(paced, { clock, timeoutMs: 60_000, log: noLog, encoding: scenario.encoding });
    this.#informer = this.#newInformer(client, clock);
    this.#check = new CacheCheck({
      cache: this.#informer.getIndexer(),
      truth: this.#truth,
      isInOrder: scenario.queue === "in-order",
      onViolation: (what) => this.#violate(what),
    });
  }

  async run(): Promise<SimulationResult> {
    const { initialObjects, startsBehind } = this.#scenario;
    for (let i = 0; i < initialObjects; i++) {
      if (startsBehind && i === 30) this.#server.fallBehind();
      await this.#writer.create();
    }
    const stop = new AbortController();
    this.#letJoin("outside");
    const running = this.#informer.run(stop.signal);
    await this.#clock.drive(this.#writeAll());
    await this.#settle();
    const { listEncoding } = this.#informer.status;
    if (listEncoding !== undefined) this.#hit(`lists come ${listEncoding === "values" ? "as" : "in"} ${listEncoding}`);
    stop.abort();
    await this.#clock.drive(running);
    const servers = [{ openWatches: this.#server.openWatches }];
    await this.#server[Symbol.asyncDispose]();
    await this.#clock.settle();
    for (const leak of findLeaks({ clock: this.#clock, servers })) this.#violate(`left behind: ${leak}`);
    for (const { rule } of this.#injected()) this.#hit(rule);
    return {
      seed: this.#scenario.seed,
      violations: this.#violations,
      hits: this.#hits,
      writes: this.#written,
      calls: this.#calls,
      virtualMs: this.#clock.monotonic(),
      digest: this.#told.digest("hex"),
    };
  }

  async #writeAll(): Promise<void> {
    const { random, writes, maxBurst, maxPauseMs, disturbanceChance } = this.#scenario;
    const draw = random.fork("pace");
    await this.#clock.sleep(randomBelow(draw, maxPauseMs), never);
    // Changes between a list without a version and its watch are lost, so writes wait for the watch, but at most a minute.
    for (let left = 60; left > 0 && this.#scenario.canOmitVersion && this.#server.openWatches === 0; left--) {
      await this.#clock.sleep(1_000, never);
    }
    while (this.#written < writes) {
      if (this.#written >= writes - lastWrites) this.#calm();
      const burst = 1 + randomBelow(draw, maxBurst);
      for (let i = 0; i < burst && this.#written < writes; i++) this.#written += await this.#writer.write();
      this.#look();
      this.#letJoin("outside");
      this.#letLeave();
      this.#disturbances.recover();
      if (!this.#isCalm && !this.#needsPeace() && chance(draw, disturbanceChance)) await this.#disturbances.strike();
      await this.#clock.sleep(randomBelow(draw, maxPauseMs), never);
    }
    this.#calm();
  }

  async #settle(): Promise<void> {
    this.#isSettling = true;
    const deadlineMs = this.#clock.monotonic() + settleLimitMs;
    for (let stepMs = 1_000; this.#openIssues().length > 0 && this.#clock.monotonic() < deadlineMs; stepMs *= 1.5) {
      await this.#clock.advance(stepMs);
    }
    // A correct state must stay correct.
    await this.#clock.advance(2 * 60_000);
    this.#check.lookAtAll();
    for (const issue of this.#openIssues()) this.#violate(`in the end ${issue}`);
  }

  /** Returns what is not yet as it must be at the end. */
  #openIssues(): readonly string[] {
    const onServer = this.#server.list(pods).filter((pod) => this.#truth.isShown(pod));
    const expected = namesOf(onServer);
    const issues = [...this.#check.differences(onServer)];
    if (!this.#informer.hasSynced()) issues.push("the informer has not synced");
    for (const { plan, record, registration } of this.#listening) {
      if (namesOf([...record.known.values()]) !== expected) issues.push(`${plan.name} does not know what is there`);
      if (!registration.hasSynced()) issues.push(`${plan.name} has not synced`);
      // A handler with a resync may have pending events at any time.
      if (registration.pending > 0 && plan.resyncMs === 0)
        issues.push(`${registration.pending} things wait for ${plan.name}`);
    }
    return issues;
  }

  /**
   * After a list without a version, the informer knows no version until the first change. If its watch breaks before that, changes are
   * lost, so there must be no faults until then.
   */
  #needsPeace(): boolean {
    return this.#isVersionOmitted && this.#informer.lastSyncResourceVersion() === "";
  }

  #look(): void {
    if (!this.#needsPeace()) this.#check.look();
  }

  #calm(): void {
    if (this.#isCalm) return;
    this.#isCalm = true;
    this.#disturbances.calm();
  }

  #letJoin(from: HandlerPlan["joinsFrom"]): void {
    if (this.#waiting.length === 0) return;
    const joining = this.#waiting.filter(
      ({ joinsAfter, joinsFrom }) => joinsAfter <= this.#written && joinsFrom === from,
    );
    this.#waiting = this.#waiting.filter((plan) => !joining.includes(plan));
    for (const plan of joining) {
      const record = this.#newRecord(plan);
      const { name, resyncMs, maxQueued } = plan;
      const atJoining = this.#informer.getIndexer().list();
      const registration = this.#informer.addEventHandler(record, {
        name,
        resyncMs,
        ...(maxQueued === undefined ? {} : { maxQueued }),
      });
      this.#listening.push({ plan, record, registration });
      const whenSynced = registration.whenSynced(never);
      void whenSynced.then(
        () => record.synced(atJoining),
        () => {},
      );
    }
  }

  #letLeave(): void {
    for (const { plan, record, registration } of this.#listening) {
      if (plan.leavesAfter === undefined || plan.leavesAfter > this.#written) continue;
      this.#informer.removeEventHandler(registration);
      record.removed();
    }
    this.#listening = this.#listening.filter(({ registration }) => this.#informer.hasEventHandler(registration));
  }

  #newRecord(plan: HandlerPlan): HandlerRecord {
    const draw = this.#scenario.random.fork(plan.name);
    const { slowMs, throwsChance } = plan;
    const finish = () => {
      if (throwsChance > 0 && chance(draw, throwsChance)) throw new Error(`${plan.name} fails on purpose`);
    };
    const finishLater = async (ms: number) => {
      await this.#clock.sleep(randomBelow(draw, ms + 1), never);
      finish();
    };
    return new HandlerRecord({
      name: plan.name,
      truth: this.#truth,
      store: this.#informer.getStore(),
      hasResync: plan.resyncMs > 0,
      isCoalesced: plan.maxQueued !== undefined,
      onViolation: (what) => this.#violate(what),
      onTold: (what) => this.#note(`${plan.name} ${what}`),
      act: () => {
        if (++this.#calls % 16 === 0) this.#look();
        // Not in the first call, because later calls may happen in any state of the informer.
        if (this.#calls % 7 === 0) this.#letJoin("callback");
        return slowMs === undefined ? finish() : finishLater(slowMs);
      },
    });
  }

  #newInformer(
    client: ReturnType<typeof clientOf>,
    clock: ReturnType<typeof busyClock>,
  ): SharedIndexInformer<corev1.Pod> {
    const scenario = this.#scenario;
    const { pagesFrom, pageSize } = scenario;
    const source = newListWatchFromClient(client, pods, {
      ...(scenario.hasSelector ? { labelSelector: selector } : {}),
      ...(pagesFrom === "source" ? { pageSize } : {}),
      canWatchList: scenario.canWatchList,
      clock,
    });
    return new SharedIndexInformer(source, {
      name: "simulated",
      queue: scenario.queue,
      resyncMs: scenario.resyncMs,
      indexers: { [shardIndex]: shardsOf },
      // Freezing decodes everything. Objects in protobuf are left as they are, so that what is not looked at stays as it came.
      freeze: scenario.encoding === "json",
      clock,
      log: noLog,
      random: scenario.random.fork("reflector"),
      watchListRetryMs: 120_000,
      maxInternalErrorRetryMs: scenario.maxInternalErrorRetryMs,
      ...(pagesFrom === "reflector" ? { pageSize } : {}),
      ...(scenario.hasTransform ? { transform: this.#newTransform() } : {}),
      onRow: (row) => this.#hit(row),
    });
  }

  /**
   * Returns a transform that throws a few times before the informer has synced. The informer must
   * not count as synced without the objects for which it threw.
   */
  #newTransform(): (pod: corev1.Pod) => corev1.Pod {
    let failuresLeft = this.#scenario.transformFailures;
    const draw = this.#scenario.random.fork("transform");
    return (pod) => {
      if (failuresLeft > 0 && !this.#informer.hasSynced() && chance(draw, 0.1)) {
        failuresLeft--;
        throw new Error("transform fails on purpose");
      }
      return transform(pod);
    };
  }

  #note(what: string): void {
    this.#told.update(`${this.#clock.monotonic()} ${what}\n`);
  }

  #hit(name: string): void {
    this.#note(name);
    this.#trace?.(this.#clock.monotonic(), name);
    this.#hits.set(name, (this.#hits.get(name) ?? 0) + 1);
  }

  #violate(what: string): void {
    if (this.#violations.length < maxViolations) this.#violations.push(`after ${this.#clock.monotonic()} ms: ${what}`);
  }
}

function namesOf(all: readonly corev1.Pod[]): string {
  const names = all.map((pod) => `${keyOf(pod)}@${pod.metadata.resourceVersion}`);
  return names.sort().join();
}

/** Counts in an annotation how often it was applied to the pod, which must be once. */
function transform(pod: corev1.Pod): corev1.Pod {
  const { annotations = {} } = pod.metadata;
  const times = String(Number(annotations["transformed"] ?? 0) + 1);
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...annotations, transformed: times } } };
}
