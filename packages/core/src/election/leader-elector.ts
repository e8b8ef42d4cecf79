// Runs work in only one of several processes at a time: in the process that holds the lease. The rules are in elector-step.ts; this class
// executes them.
//
// Promises
// - The work starts only while this process holds the lease, and its signal aborts before another process may take the lease (see the rules
//   for how much clocks may differ). `run` ends only after the work has ended.
// - When the elector is stopped, it renews the lease until the work has ended. Only then it releases the lease, and only if the server still
//   has this process as the holder.
// - `run` leads at most once: call `run` again to contend again.
import type { KubernetesObject } from "../api/index.ts";
import {
  type Clock,
  childSignal,
  defaultLog,
  isAborted,
  KubeloopError,
  type Log,
  type Random,
  systemClock,
  systemRandom,
  timeoutSignal,
  toError,
} from "../base/index.ts";
import { type ElectionObserver, noElectionObserver } from "./election-metrics.ts";
import { checkTimings, defaultTimings, type ElectionTimings } from "./election-timings.ts";
import {
  type Answer,
  type ElectorCommand,
  type ElectorInput,
  type ElectorState,
  type EndReason,
  initialState,
  step,
} from "./elector-step.ts";
import { type Leadership, LeaderWork } from "./leader-work.ts";
import type { LeaseStore } from "./lease-lock.ts";
import { releaseLease } from "./release-lease.ts";

export interface LeaderElectorOptions extends Partial<ElectionTimings> {
  readonly lock: LeaseStore;
  /** Must be unique: two processes with the same identity would both act as the holder of the lease. */
  readonly identity: string;
  /**
   * Whether to release the lease at the end, so that other replicas do not have to wait until it expires; true unless given. A function is called
   * at the end with the error that the work threw, because the lease must not be released while the work may still be running.
   */
  readonly releaseOnStop?: boolean | ((failure: unknown) => boolean);
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly observer?: ElectionObserver;
  /** Records Events about the Lease when this process starts and stops leading. */
  readonly recorder?: LeaseEventRecorder;
}

/** The part of an event recorder that an election needs. It must neither block nor throw. */
export interface LeaseEventRecorder {
  event(about: KubernetesObject, type: "Normal", reason: string, message: string): void;
}

export interface LeaderCallbacks {
  /** The work of the leader. When it returns, `run` ends; when it throws, `run` throws. */
  readonly onStartedLeading: (leadership: Leadership) => Promise<void>;
  /** Always called at the end, after the work has ended. */
  readonly onStoppedLeading?: () => void;
  /** Called when a new holder of the lease is seen, which may be this process itself. */
  readonly onNewLeader?: (identity: string) => void;
}

interface Signals {
  /** Aborts when the elector was stopped, or the work has ended. */
  readonly stopping: AbortSignal;
  /** Aborts when the work has ended. */
  readonly over: AbortSignal;
}

export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #timings: ElectionTimings;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #observer: ElectionObserver;
  #state: ElectorState = initialState;
  #isRunning = false;
  #reportedLeader = "";

  constructor(options: LeaderElectorOptions) {
    if (options.identity === "")
      throw new KubeloopError("identity must not be empty", { reason: "Invalid", retry: "never" });
    const {
      leaseDurationMs = defaultTimings.leaseDurationMs,
      renewDeadlineMs = defaultTimings.renewDeadlineMs,
      retryPeriodMs = defaultTimings.retryPeriodMs,
    } = options;
    this.#timings = checkTimings({ leaseDurationMs, renewDeadlineMs, retryPeriodMs });
    this.#options = options;
    this.#clock = (options.clock ?? systemClock).labelled({ kind: "background", name: "leader election" });
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? defaultLog;
    this.#observer = options.observer ?? noElectionObserver;
  }

  get isLeader(): boolean {
    return this.#state.at === "leading";
  }

  /** The last seen holder of the lease; "" if it has no holder or is not known yet. */
  get leader(): string {
    return this.#state.observed?.lease.record.holder ?? "";
  }

  /**
   * Returns why this process should be restarted: its lease has expired by more than `toleranceMs`, and it still acts as the leader. Returns
   * undefined otherwise.
   */
  findFault(toleranceMs: number): string | undefined {
    if (this.#state.at !== "leading") return undefined;
    const overdueMs = this.#clock.monotonic() - this.#state.renewedMs - this.#timings.leaseDurationMs;
    return overdueMs > toleranceMs
      ? `failed election to renew leadership on lease ${this.#options.lock.description}`
      : undefined;
  }

  /** Contends for the lease and leads. Returns why it ended: it was stopped, the lease was lost, or the work has ended. */
  async run(callbacks: LeaderCallbacks, signal: AbortSignal): Promise<EndReason> {
    if (this.#isRunning)
      throw new KubeloopError("an elector runs once at a time", { reason: "Invalid", retry: "never" });
    this.#isRunning = true;
    this.#state = initialState;
    this.#observer.leading(false);
    using stopping = childSignal(signal);
    const over = new AbortController();
    const work = new LeaderWork(callbacks.onStartedLeading, () => {
      over.abort(workEnded);
      stopping.abort(workEnded);
    });
    try {
      return await this.#contend(work, callbacks, { stopping: stopping.signal, over: over.signal });
    } finally {
      try {
        await this.#leave(work);
      } finally {
        this.#isRunning = false;
        callbacks.onStoppedLeading?.();
      }
    }
  }

  /** Ends the work, for whatever reason the election ended, and releases the lease only after that. Throws what the work threw. */
  async #leave(work: LeaderWork): Promise<void> {
    const why = this.#state.at === "ending" ? this.#state.why : "failed";
    if (this.#state.at === "leading") this.#state = { at: "contending", observed: this.#state.observed };
    this.#observer.leading(false);
    this.#log.info("leads no longer", { lease: this.#options.lock.description, why });
    const { releaseOnStop = true } = this.#options;
    let failure: unknown;
    try {
      await work.end(why);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const mayRelease = typeof releaseOnStop === "function" ? releaseOnStop(failure) : releaseOnStop;
      if (mayRelease) await this.#release();
      if (work.hasBegun) this.#record("stopped leading");
    }
  }

  async #contend(work: LeaderWork, callbacks: LeaderCallbacks, signals: Signals): Promise<EndReason> {
    let input: ElectorInput = { kind: "due" };
    for (;;) {
      const { state, command, isSlowPath } = step(this.#state, this.#interrupted(input, signals), this.#context());
      this.#state = state;
      if (isSlowPath === true) this.#observer.slowPath();
      this.#tellLeader(callbacks);
      if (command.do === "end") return command.why;
      input = await this.#carryOut(command, work, this.#isEndingWork ? signals.over : signals.stopping);
    }
  }

  /** If the work has ended, or the elector was stopped, that takes precedence over the input that was waited for. */
  #interrupted(input: ElectorInput, { stopping, over }: Signals): ElectorInput {
    if (over.aborted) return { kind: "workEnded" };
    return stopping.aborted && !this.#isEndingWork ? { kind: "stop" } : input;
  }

  get #isEndingWork(): boolean {
    return this.#state.at === "leading" && this.#state.work === "ending";
  }

  #context() {
    const { identity } = this.#options;
    return {
      identity,
      timings: this.#timings,
      nowMs: this.#clock.monotonic(),
      wallMs: this.#clock.now(),
      chance: this.#random.next(),
    };
  }

  async #carryOut(command: ElectorCommand, work: LeaderWork, signal: AbortSignal): Promise<ElectorInput> {
    const { lock } = this.#options;
    switch (command.do) {
      case "read":
        return { kind: "read", answer: await this.#ask(command.limitMs, signal, (limited) => lock.read(limited)) };
      case "write": {
        const { base, record } = command.write;
        const sentMs = this.#clock.monotonic();
        const answer = await this.#ask(command.limitMs, signal, (limited) => lock.write(base, record, limited));
        return { kind: "written", answer, sentMs };
      }
      case "lead":
        this.#log.info("became leader", { lease: lock.description, identity: this.#options.identity });
        this.#observer.leading(true);
        this.#record("became leader");
        work.begin(command.token);
        await this.#sleep(command.delayMs, signal);
        return { kind: "due" };
      case "endWork":
        work.abort("stopped");
        await this.#sleep(command.delayMs, signal);
        return { kind: "due" };
      default:
        await this.#sleep(command.do === "wait" ? command.delayMs : 0, signal);
        return { kind: "due" };
    }
  }

  async #ask(
    limitMs: number,
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<Extract<Answer, { kind: "lease" }>["lease"] | undefined>,
  ): Promise<Answer> {
    using limited = timeoutSignal(signal, limitMs, { clock: this.#clock, what: "the lease" });
    try {
      const lease = await ask(limited.signal);
      return lease === undefined ? { kind: "absent" } : { kind: "lease", lease };
    } catch (error) {
      if (!signal.aborted)
        this.#log.warn("lease not reached", { lease: this.#options.lock.description, error: toError(error) });
      return { kind: "failed" };
    }
  }

  async #sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(delayMs, signal);
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
    }
  }

  #tellLeader(callbacks: LeaderCallbacks): void {
    const leader = this.leader;
    if (leader === this.#reportedLeader || leader === "") return;
    this.#reportedLeader = leader;
    const { identity, lock } = this.#options;
    if (leader !== identity) this.#log.info("another replica leads, standing by", { leader, lease: lock.description });
    try {
      callbacks.onNewLeader?.(leader);
    } catch (error) {
      this.#log.error("onNewLeader threw", { leader, error: toError(error) });
    }
  }

  #record(what: string): void {
    const { recorder, identity } = this.#options;
    const lease = this.#state.observed?.lease.object;
    if (lease !== undefined) recorder?.event(lease, "Normal", "LeaderElection", `${identity} ${what}`);
  }

  /** Releases the lease, with its own timeout, because the signal of `run` may have aborted already. */
  async #release(): Promise<void> {
    const { lock, identity } = this.#options;
    try {
      await releaseLease(lock, { identity, clock: this.#clock, limitMs: this.#timings.renewDeadlineMs });
    } catch (error) {
      this.#log.warn("lease not released", { lease: lock.description, error: toError(error) });
    }
  }
}

const workEnded = new KubeloopError("the leader's work has ended", { reason: "WorkEnded", retry: "never" });
