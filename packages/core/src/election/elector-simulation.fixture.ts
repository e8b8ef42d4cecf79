// Several electors around one lease, each with a clock of its own that runs at its own rate, over a network that delays,
// loses and refuses; some crash, some stand still for a while, some are told to stop, have their work end and give the lease
// back. One seed is one history, told event by event on a common time line; the electors see only their own clocks.
//
// Looked for: two who claim to lead at the same moment; a fencing token that was used before; nobody leading for longer than
// the bound after the last disturbance.
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
  /** How far clock rates may lie apart: 1.4 means that the fastest runs 1.4 times as fast as the slowest. */
  readonly rateSpread: number;
  /** Nothing goes wrong but that the leader crashes, once; how long until the next one leads is told. */
  readonly onlyOneCrash?: boolean;
  /** What is written to give a lease back; the true rule unless given. */
  readonly released?: typeof releasedRecord;
  /** Whether the lease is given back as soon as one is told to stop, while its work is still ending: a bug. */
  readonly releasesEarly?: boolean;
  /** Whether the server takes writes on top of what has changed: a bug. */
  readonly ignoresVersions?: boolean;
}

export interface SimulationResult {
  /** What went wrong, or undefined. */
  readonly fault: string | undefined;
  readonly takeovers: number;
  /** From the last crash of a leader until another led. */
  readonly takeoverMs: number | undefined;
  /** What happened to the electors and their requests, by kind. */
  readonly seen: ReadonlySet<string>;
}

const maxLatencyMs = 4000;
/** How long a request takes, each way, when nothing is wrong. */
export const usualLatencyMs = 100;
const disturbedMs = 300_000;

interface Event {
  readonly order: number;
  readonly atMs: number;
  readonly happen: () => void;
}

interface Elector {
  /** A process that crashed comes back under another one, as pods do. */
  name: string;
  readonly rate: number;
  readonly offsetMs: number;
  readonly wallOffsetMs: number;
  state: ElectorState;
  /** What has been answered already is passed over. */
  epoch: number;
  /** From one start to the next. */
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
  /** Who used a fencing token: holder and time of acquiring. */
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
      // The ends of the range are where rules break.
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

  /** Lets an elector make its next step, as soon as it runs again. */
  #wake(elector: Elector, input: ElectorInput): void {
    this.#resume(elector, () => this.#advance(elector, input));
  }

  /** Does it as soon as the elector runs again; whatever else it waits for, it waits for no longer. */
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

  /** It takes a while, perhaps longer than a lease lasts. */
  #endWork(elector: Elector): void {
    const { life } = elector;
    this.#note("work ended by a leader that was told to stop");
    this.#at(this.#nowMs + randomBetween(this.#random, 0, 25_000), () => {
      if (elector.life === life) this.#wake(elector, { kind: "workEnded" });
    });
    if (this.#options.releasesEarly === true && this.#lease?.record.holder === elector.name)
      this.#write({ base: this.#lease, record: { ...this.#lease.record, holder: "" } });
  }

  /** As the driver does on its way out, and once more after a conflict; then it is started again, and remembers nothing. */
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

  /** To the server and back, each way with a delay; or refused, or lost on either way. */
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

  /** Forgets everything, at once; what it asked for may still be carried out. */
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
        // One whose work is ending has been told already.
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
    // The same one may find itself to be the holder once more; nobody else ever gets its token.
    if (before !== holder) this.#fault = `${holder} leads with the token of ${before}`;
    this.#tokens.set(token, holder);
  }

  #holderOf({ state }: Elector): string {
    const { holder, acquireTime } = state.observed?.lease.record ?? { holder: "", acquireTime: "" };
    return `${holder} since ${acquireTime}`;
  }

  /** By its own clock it leads, whether it is running or standing still. */
  #claims(elector: Elector): boolean {
    const { state } = elector;
    return state.at === "leading" && this.#localMs(elector) < state.renewedMs + this.#options.timings.renewDeadlineMs;
  }

  /** Lease, two waits of a contender, and the requests of both, by the slowest clock; crashed ones come back within 40 s. */
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
