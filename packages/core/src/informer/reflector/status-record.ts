// Records the status of a reflector, and returns it as one value. Listeners are called on every change except those that come
// with each event: last contact and version.
//
// A successful list ends a failure to list, but not a failure to watch: without a watch the cache is only as new as the last
// list. A failure to watch ends with an event, with a watch that the server closed regularly, or with a watch that stays
// open for a minute.
import { type Clock, Listeners } from "../../base/index.ts";
import type { AnswerEncoding } from "../../client/index.ts";
import { type InformerFailure, type ReflectorStatus, wallTimeOf } from "../liveness.ts";
import { initialState, type ReflectorState } from "./reflector-state.ts";
import { settledWatchMs, watchedForMs } from "./reflector-transitions.ts";

export class StatusRecord {
  readonly #clock: Clock;
  readonly #listeners: Listeners<ReflectorStatus>;
  #life: "new" | "running" | "stopped" = "new";
  // Monotonic times.
  #lastContactMs: number | undefined;
  #troubledSinceMs: number | undefined;
  #unwatchedSinceMs: number | undefined;
  #state: ReflectorState = initialState;
  #lists = 0;
  #watches = 0;
  #errors = 0;
  #lastFailure: InformerFailure | undefined;
  #listEncoding: AnswerEncoding | undefined;
  #watchEncoding: AnswerEncoding | undefined;

  constructor(clock: Clock, onListenerError: (error: unknown) => void) {
    this.#clock = clock;
    this.#listeners = new Listeners(onListenerError);
  }

  subscribe(listener: (status: ReflectorStatus) => void): Disposable {
    return this.#listeners.subscribe(listener);
  }

  live(life: "running" | "stopped", state: ReflectorState): void {
    this.#life = life;
    this.#troubledSinceMs = life === "running" ? this.#clock.monotonic() : undefined;
    this.#unwatchedSinceMs = undefined;
    this.#state = state;
    this.#tell(state);
  }

  /** An event, a bookmark or a finished list: the server responded. */
  contact(): void {
    this.#lastContactMs = this.#clock.monotonic();
  }

  fail(error: Error): void {
    this.#errors++;
    this.#lastFailure = { error, atMs: this.#clock.now() };
  }

  begin(what: "list" | "watch" | "both"): void {
    if (what !== "watch") this.#lists++;
    if (what !== "list") this.#watches++;
  }

  /** The answer to a request came in this encoding. A streamed list is both. */
  answered(what: "list" | "watch" | "both", encoding: AnswerEncoding): void {
    if (what !== "watch") this.#listEncoding = encoding;
    if (what !== "list") this.#watchEncoding = encoding;
  }

  /** Sets the state. `isNews`: whether listeners are called. */
  follow(state: ReflectorState, isNews: boolean): void {
    if (state.healthySinceMs !== undefined) this.#troubledSinceMs = undefined;
    else this.#troubledSinceMs ??= this.#clock.monotonic();
    if (this.#state.phase.at === "watching") this.#followWatch(this.#state, state);
    this.#state = state;
    if (isNews) this.#tell(state);
  }

  statusAt(state: ReflectorState): ReflectorStatus {
    return {
      phase: this.#life === "running" ? phaseOf(state) : this.#life === "new" ? "idle" : "stopped",
      lastContactMs: wallTimeOf(this.#lastContactMs, this.#clock),
      failingSinceMs: wallTimeOf(this.#failingSinceMs(state), this.#clock),
      resourceVersion: state.resourceVersion,
      lists: this.#lists,
      watches: this.#watches,
      errors: this.#errors,
      lastFailure: this.#lastFailure,
      listEncoding: this.#listEncoding,
      watchEncoding: this.#watchEncoding,
    };
  }

  #followWatch(before: ReflectorState, { phase, healthySinceMs }: ReflectorState): void {
    const hasFailed = phase.at !== "watching" && healthySinceMs === undefined;
    if (!hasFailed || this.#isWorking(before)) this.#unwatchedSinceMs = undefined;
    if (hasFailed) this.#unwatchedSinceMs ??= this.#clock.monotonic();
  }

  /** A watch that works: an event arrived on it, or it has not failed for a while. */
  #isWorking(state: ReflectorState): boolean {
    const { phase } = state;
    if (phase.at !== "watching") return false;
    return phase.events > 0 || watchedForMs(state, this.#clock.monotonic()) >= settledWatchMs;
  }

  #failingSinceMs(state: ReflectorState): number | undefined {
    if (this.#isWorking(state)) return undefined;
    const [troubledMs, unwatchedMs] = [this.#troubledSinceMs, this.#unwatchedSinceMs];
    if (troubledMs === undefined || unwatchedMs === undefined) return troubledMs ?? unwatchedMs;
    return Math.min(troubledMs, unwatchedMs);
  }

  #tell(state: ReflectorState): void {
    if (this.#listeners.size > 0) this.#listeners.emit(this.statusAt(state));
  }
}

function phaseOf({ phase }: ReflectorState): ReflectorStatus["phase"] {
  // For users a streamed list is a list.
  return phase.at === "streaming" ? "listing" : phase.at;
}
