// Runs work in one of several processes at a time: whoever holds the lease. The rules are in elector-step.ts; this carries
// them out.
//
// Promises
// - The work begins only while the lease is ours, and its signal aborts before anybody else may take it (see the rules for
//   how clocks may differ). `run` ends only after the work has.
// - When it is stopped, it renews until the work has ended, and gives the lease back only then, and only if the server still names us
//   as its holder.
// - `run` leads at most once: who wants to contend again calls it again.
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
  /** Ours alone: two processes with the same one would both believe to hold the lease. */
  readonly identity: string;
  /**
   * Whether to give the lease back on the way out, so that others need not wait; yes unless given. A function is asked then, with what the
   * work threw: work that may still go on must not be overlapped.
   */
  readonly releaseOnStop?: boolean | ((failure: unknown) => boolean);
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly observer?: ElectionObserver;
  /** Records Events about the lease: who starts and who stops leading. */
  readonly recorder?: LeaseEventRecorder;
}

/** As much of an event recorder as an election needs; it neither waits nor throws. */
export interface LeaseEventRecorder {
  event(about: KubernetesObject, type: "Normal", reason: string, message: string): void;
}

export interface LeaderCallbacks {
  /** The work. When it ends by itself, so does `run`; when it throws, `run` throws. */
  readonly onStartedLeading: (leadership: Leadership) => Promise<void>;
  /** Always, at the end, after the work. */
  readonly onStoppedLeading?: () => void;
  /** Whenever another one, or we, are first seen as the holder. */
  readonly onNewLeader?: (identity: string) => void;
}

interface Signals {
  /** It was stopped, or the work has ended. */
  readonly stopping: AbortSignal;
  /** The work has ended. */
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

  /** Who holds the lease, as far as we have seen; "" for nobody or not known. */
  get leader(): string {
    return this.#state.observed?.lease.record.holder ?? "";
  }

  /**
   * Says why a process that leads should be restarted: its lease has run out, by more than `toleranceMs`, and it still has not
   * given up. Undefined while all is well.
   */
  findFault(toleranceMs: number): string | undefined {
    if (this.#state.at !== "leading") return undefined;
    const overdueMs = this.#clock.monotonic() - this.#state.renewedMs - this.#timings.leaseDurationMs;
    return overdueMs > toleranceMs
      ? `failed election to renew leadership on lease ${this.#options.lock.description}`
      : undefined;
  }

  /** Contends, leads, ends: because it was stopped, the lease was lost, or the work has ended. */
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

  /** Whatever it was that ended us, the work ends before the lease is anybody else's. Throws what the work threw. */
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

  /** The work has ended, or it was stopped: that takes precedence over what we waited for. */
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

  /** A last word to the server, with a time limit of its own: the signal we were given has fired. */
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
