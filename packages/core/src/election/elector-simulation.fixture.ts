// Simulates several electors with one lease. Each elector has its own clock with its own rate. The network delays, loses and refuses requests.
// Electors crash, pause for a while, or are stopped; a stopped elector ends its work and releases the lease. Each seed is one history of events
// on a common time line; the electors see only their own clocks.
//
// Faults that the simulation detects: two electors claim to lead at the same time; a fencing token is used by two holders; no elector leads
// within the time bound after the last disturbance.
import { KeyedHeap, randomBelow, randomBetween, type SeededRandom, seededRandom } from "../base/index.ts";
import type { ElectionTimings } from "./election-timings.ts";
import {
  type Answer,
  type ElectorContext,
  type ElectorInput,
  type ElectorState,
  initialState,
  type LeaseWrite,
  type Stepped,
} from "./elector-step.ts";
import { type SeenLease, seenLease, withRecord } from "./lease-record.ts";
import { releasedRecord } from "./release-lease.ts";

export type Step = (state: ElectorState, input: ElectorInput, context: ElectorContext) => Stepped;

export interface SimulationOptions {
  readonly step: Step;
  readonly timings: ElectionTimings;
  /** How much clock rates may differ: 1.4 means that the fastest clock runs 1.4 times as fast as the slowest. */
  readonly rateSpread: number;
  /** The only disturbance is one crash of the leader. The result has the time until the next elector leads (`takeoverMs`). */
  readonly onlyOneCrash?: boolean;
  /** Returns the record that releases the lease; `releasedRecord` unless given. */
  readonly released?: typeof releasedRecord;
  /** Simulates a bug: a stopped elector releases the lease immediately, while its work has not ended yet. */
  readonly releasesEarly?: boolean;
  /** Simulates a bug: the server accepts updates with an old resourceVersion. */
  readonly ignoresVersions?: boolean;
}

export interface SimulationResult {
  /** The fault that was detected; undefined if there was none. */
  readonly fault: string | undefined;
  readonly takeovers: number;
  /** The time from the last crash of a leader until another elector led. */
  readonly takeoverMs: number | undefined;
  /** The kinds of disturbances and events that occurred. */
  readonly seen: ReadonlySet<string>;
}

const maxLatencyMs = 4000;
/** The maximum latency of a request, each way, without disturbances. */
export const usualLatencyMs = 100;
const disturbedMs = 300_000;

interface Event {
  readonly order: number;
  readonly atMs: number;
  readonly happen: () => void;
}

interface Elector {
  /** A process that crashed starts again with another name, as pods do. */
  name: string;
  readonly rate: number;
  readonly offsetMs: number;
  readonly wallOffsetMs: number;
  state: ElectorState;
  /** Grows with each step. A timer or an answer of an older epoch is ignored. */
  epoch: number;
  /** Grows with each restart of the elector. */
  life: number;
  isCrashed: boolean;
  isPartitioned: boolean;
  pausedUntilMs: number;
}

export function simulate(seed: number, options: SimulationOptions): SimulationResult {
  return new Simulation(seed, options).run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #events = new KeyedHeap<number, Event>({
    keyOf: (event) => event.order,
    compare: (a, b) => a.atMs - b.atMs || a.order - b.order,
  });
  readonly #electors: Elector[] = [];
  /** By fencing token: the holder that used it, with its acquireTime. */
  readonly #tokens = new Map<number, string>();
  readonly #seen = new Set<string>();
  #order = 0;
  #nowMs = 0;
  #lease: SeenLease | undefined;
  #version = 0;
  #takeovers = 0;
  #fault: string | undefined;
  #leaderlessSinceMs = 0;
  #crashedMs: number | undefined;
  #takeoverMs: number | undefined;

  constructor(seed: number, options: SimulationOptions) {
    this.#options = options;
    this.#random = seededRandom(seed);
  }

  run(): SimulationResult {
    const count = 2 + randomBelow(this.#random, 4);
    for (let i = 0; i < count; i++) this.#electors.push(this.#newElector(`e${i}`));
    for (const elector of this.#electors)
      this.#at(randomBetween(this.#random, 0, 3000), () => this.#wake(elector, { kind: "due" }));
    if (this.#options.onlyOneCrash === true)
      this.#at(randomBetween(this.#random, 60_000, 80_000), () => this.#crashLeader());
    else for (let i = 0; i < 12; i++) this.#at(randomBetween(this.#random, 0, disturbedMs), () => this.#disturb());
    this.#at(disturbedMs, () => this.#calm());
    this.#at(disturbedMs + this.#settleMs(), () => this.#expectLeader());
    for (let event = this.#events.pop(); event !== undefined; event = this.#events.pop()) {
      if (this.#fault !== undefined || event.atMs > disturbedMs + this.#settleMs()) break;
      this.#nowMs = event.atMs;
      event.happen();
    }
    return { fault: this.#fault, takeovers: this.#takeovers, takeoverMs: this.#takeoverMs, seen: this.#seen };
  }

  #newElector(name: string): Elector {
    const { rateSpread } = this.#options;
    return {
      name,
      // Only the two ends of the range are used, because rules fail there first.
      rate: Math.sqrt(rateSpread) ** (this.#random.next() < 0.5 ? -1 : 1),
      offsetMs: randomBetween(this.#random, 0, 1e6),
      wallOffsetMs: randomBetween(this.#random, -3e6, 3e6),
      state: initialState,
      epoch: 0,
      life: 0,
      isCrashed: false,
      isPartitioned: false,
      pausedUntilMs: 0,
    };
  }

  #at(atMs: number, happen: () => void): void {
    this.#events.set({ order: this.#order++, atMs, happen });
  }

  #localMs(elector: Elector): number {
    return elector.offsetMs + this.#nowMs * elector.rate;
  }

  /** Executes the elector's next step, as soon as the elector is not paused. */
  #wake(elector: Elector, input: ElectorInput): void {
    this.#resume(elector, () => this.#advance(elector, input));
  }

  /** Calls `act` as soon as the elector is not paused. Everything else that the elector was waiting for is ignored from now on. */
  #resume(elector: Elector, act: () => void): void {
    const epoch = ++elector.epoch;
    const whenRunning = () => {
      if (elector.isCrashed || elector.epoch !== epoch) return;
      if (elector.pausedUntilMs > this.#nowMs) this.#at(elector.pausedUntilMs, whenRunning);
      else act();
    };
    whenRunning();
  }

  #advance(elector: Elector, input: ElectorInput): void {
    const wasLeading = elector.state.at === "leading";
    const nowMs = this.#localMs(elector);
    const { state, command } = this.#options.step(elector.state, input, {
      identity: elector.name,
      timings: this.#options.timings,
      nowMs,
      wallMs: nowMs + elector.wallOffsetMs,
      chance: this.#random.next(),
    });
    elector.state = state;
    if (!wasLeading && state.at === "leading") this.#becameLeader(elector, state.token);
    if (wasLeading && state.at !== "leading") this.#leaderlessSinceMs = this.#nowMs;
    switch (command.do) {
      case "wait":
      case "lead":
        this.#onTime(elector, command.delayMs);
        break;
      case "read":
        this.#request(
          elector,
          command.limitMs,
          () => this.#read(),
          (answer) => this.#advance(elector, { kind: "read", answer }),
        );
        break;
      case "write":
        this.#request(
          elector,
          command.limitMs,
          () => this.#write(command.write),
          (answer) => this.#advance(elector, { kind: "written", answer, sentMs: nowMs }),
        );
        break;
      case "endWork":
        this.#onTime(elector, command.delayMs);
        this.#endWork(elector);
        break;
      case "end":
        elector.life++;
        elector.state = initialState;
        this.#release(elector);
    }
  }

  /** Ending the work takes a random time, which may be longer than the lease duration. */
  #endWork(elector: Elector): void {
    const { life } = elector;
    this.#note("work ended by a leader that was told to stop");
    this.#at(this.#nowMs + randomBetween(this.#random, 0, 25_000), () => {
      if (elector.life === life) this.#wake(elector, { kind: "workEnded" });
    });
    if (this.#options.releasesEarly === true && this.#lease?.record.holder === elector.name)
      this.#write({ base: this.#lease, record: { ...this.#lease.record, holder: "" } });
  }

  /** Releases the lease as LeaderElector does, with a retry after a conflict. Then the elector starts again from the initial state. */
  #release(elector: Elector): void {
    const { released = releasedRecord, timings } = this.#options;
    const limitMs = timings.renewDeadlineMs;
    const startAgain = () => {
      this.#at(this.#nowMs + 1000, () => this.#wake(elector, { kind: "due" }));
    };
    this.#request(
      elector,
      limitMs,
      () => this.#read(),
      (answer) => {
        const base = answer.kind === "lease" ? answer.lease : undefined;
        const record = released(base, {
          identity: elector.name,
          wallMs: this.#localMs(elector) + elector.wallOffsetMs,
        });
        if (record === undefined) return startAgain();
        this.#note("lease given back");
        let isConflict = false;
        const serve = () => {
          const written = this.#write({ base, record });
          isConflict = written.kind === "failed";
          return written;
        };
        this.#request(elector, limitMs, serve, () => (isConflict ? this.#release(elector) : startAgain()));
      },
    );
  }

  #onTime(elector: Elector, delayMs: number): void {
    const { epoch } = elector;
    this.#at(this.#nowMs + delayMs / elector.rate, () => {
      if (elector.epoch === epoch) this.#wake(elector, { kind: "due" });
    });
  }

  /** Simulates a request: it has a latency each way, and it may be refused, or be lost on the way to the server or back. */
  #request(elector: Elector, limitMs: number, serve: () => Answer, done: (answer: Answer) => void): void {
    const { epoch } = elector;
    const answerWith = (answer: Answer) => () => {
      if (elector.epoch === epoch) this.#resume(elector, () => done(answer));
    };
    this.#at(this.#nowMs + limitMs / elector.rate, answerWith({ kind: "failed" }));
    const chance = this.#isDisturbed ? this.#random.next() : 0.5;
    const thereMs = this.#nowMs + this.#latencyMs();
    if (elector.isPartitioned || chance < 0.05) this.#note("request lost");
    else if (chance < 0.1) {
      this.#note("request refused");
      this.#at(thereMs, answerWith({ kind: "failed" }));
    } else {
      this.#at(thereMs, () => {
        const answer = serve();
        if (elector.isPartitioned || chance > 0.95) this.#note("answer lost");
        else this.#at(this.#nowMs + this.#latencyMs(), answerWith(answer));
      });
    }
  }

  get #isDisturbed(): boolean {
    return this.#nowMs < disturbedMs && this.#options.onlyOneCrash !== true;
  }

  #latencyMs(): number {
    const isSlow = this.#isDisturbed && this.#random.next() < 0.1;
    if (isSlow) this.#note("slow answer");
    return randomBetween(this.#random, 1, isSlow ? maxLatencyMs : usualLatencyMs);
  }

  #read(): Answer {
    return this.#lease === undefined ? { kind: "absent" } : { kind: "lease", lease: this.#lease };
  }

  #write({ base, record }: LeaseWrite): Answer {
    const before = this.#lease?.object.metadata.resourceVersion;
    if (before !== base?.object.metadata.resourceVersion && this.#options.ignoresVersions !== true) {
      this.#note("conflict");
      return { kind: "failed" };
    }
    const object = base?.object ?? { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "lease" } };
    const written = withRecord(object, record);
    const resourceVersion = String(++this.#version);
    this.#lease = seenLease({ ...written, metadata: { ...written.metadata, resourceVersion } });
    return { kind: "lease", lease: this.#lease };
  }

  #crashLeader(): void {
    const leader = this.#electors.find((elector) => elector.state.at === "leading");
    if (leader !== undefined) this.#crash(leader);
  }

  /** The elector loses its state immediately. The server may still execute the requests that it has sent. */
  #crash(elector: Elector): void {
    elector.isCrashed = true;
    elector.epoch++;
    elector.life++;
    if (elector.state.at === "leading") {
      this.#leaderlessSinceMs = this.#nowMs;
      this.#crashedMs = this.#nowMs;
    }
    elector.name += "'";
    elector.state = initialState;
  }

  #disturb(): void {
    const elector = this.#electors[randomBelow(this.#random, this.#electors.length)] as Elector;
    const forMs = randomBetween(this.#random, 1000, 40_000);
    const who = elector.state.at === "leading" ? "leader" : "contender";
    switch (randomBelow(this.#random, 4)) {
      case 0:
        this.#note(`${who} crashed`);
        this.#crash(elector);
        this.#at(this.#nowMs + forMs, () => {
          elector.isCrashed = false;
          this.#wake(elector, { kind: "due" });
        });
        break;
      case 1:
        // An elector whose work is ending has been stopped already.
        if (elector.isCrashed || (elector.state.at === "leading" && elector.state.work === "ending")) break;
        this.#note(`${who} told to stop`);
        this.#wake(elector, { kind: "stop" });
        break;
      case 2:
        this.#note(`${who} stood still`);
        elector.pausedUntilMs = this.#nowMs + forMs;
        break;
      default:
        this.#note(`${who} cut off`);
        elector.isPartitioned = true;
        this.#at(this.#nowMs + forMs, () => {
          elector.isPartitioned = false;
        });
    }
  }

  #calm(): void {
    for (const elector of this.#electors) {
      elector.isPartitioned = false;
      elector.pausedUntilMs = 0;
    }
  }

  #becameLeader(elector: Elector, token: number): void {
    this.#takeovers++;
    if (this.#crashedMs !== undefined) this.#takeoverMs = this.#nowMs - this.#crashedMs;
    this.#crashedMs = undefined;
    const others = this.#electors.filter((other) => other !== elector && this.#claims(other));
    if (others.length > 0)
      this.#fault = `${elector.name} leads although ${others.map(({ name }) => name).join()} still does`;
    const holder = this.#holderOf(elector);
    const before = this.#tokens.get(token) ?? holder;
    // The same holder may lead again with its token; no other holder may ever get that token.
    if (before !== holder) this.#fault = `${holder} leads with the token of ${before}`;
    this.#tokens.set(token, holder);
  }

  #holderOf({ state }: Elector): string {
    const { holder, acquireTime } = state.observed?.lease.record ?? { holder: "", acquireTime: "" };
    return `${holder} since ${acquireTime}`;
  }

  /** Returns whether the elector leads according to its own clock, even while it is paused. */
  #claims(elector: Elector): boolean {
    const { state } = elector;
    return state.at === "leading" && this.#localMs(elector) < state.renewedMs + this.#options.timings.renewDeadlineMs;
  }

  /** The lease duration, two waits of a contender and its requests, by the slowest clock, plus 40 s in which crashed electors start again. */
  #settleMs(): number {
    const { leaseDurationMs, retryPeriodMs } = this.#options.timings;
    return 40_000 + (leaseDurationMs + 4.4 * retryPeriodMs) * Math.sqrt(this.#options.rateSpread) + 8 * maxLatencyMs;
  }

  #expectLeader(): void {
    if (this.#electors.some((elector) => this.#claims(elector))) return;
    this.#fault = `nobody leads, since ${Math.round(this.#nowMs - this.#leaderlessSinceMs)} ms`;
  }

  #note(what: string): void {
    this.#seen.add(what);
  }
}
