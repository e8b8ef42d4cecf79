// How a reflector is doing, kept as it goes and handed out as one value. Listeners hear of every change but those that come
// with each event: contact and version.
import { type Clock, Listeners } from "../../base/index.ts";
import type { InformerFailure, ReflectorStatus } from "../liveness.ts";
import { settledWatchMs, watchedForMs } from "./reflector-moves.ts";
import type { ReflectorState } from "./reflector-state.ts";

export class StatusRecord {
  readonly #clock: Clock;
  readonly #listeners: Listeners<ReflectorStatus>;
  #life: "new" | "running" | "stopped" = "new";
  #lastContactMs: number | undefined;
  #troubledSinceMs: number | undefined;
  #lists = 0;
  #watches = 0;
  #errors = 0;
  #lastFailure: InformerFailure | undefined;

  constructor(clock: Clock, onListenerError: (error: unknown) => void) {
    this.#clock = clock;
    this.#listeners = new Listeners(onListenerError);
  }

  subscribe(listener: (status: ReflectorStatus) => void): Disposable {
    return this.#listeners.subscribe(listener);
  }

  live(life: "running" | "stopped", state: ReflectorState): void {
    this.#life = life;
    this.#troubledSinceMs = life === "running" ? this.#clock.now() : undefined;
    this.#tell(state);
  }

  /** An event, a bookmark or a finished list: the server was heard. */
  contact(): void {
    this.#lastContactMs = this.#clock.now();
  }

  fail(error: Error): void {
    this.#errors++;
    this.#lastFailure = { error, atMs: this.#clock.now() };
  }

  begin(what: "list" | "watch" | "both"): void {
    if (what !== "watch") this.#lists++;
    if (what !== "list") this.#watches++;
  }

  /** The state is this now. `isNews` where listeners want to hear of it. */
  follow(state: ReflectorState, isNews: boolean): void {
    if (state.healthySinceMs !== undefined) this.#troubledSinceMs = undefined;
    else this.#troubledSinceMs ??= this.#clock.now();
    if (isNews) this.#tell(state);
  }

  statusAt(state: ReflectorState): ReflectorStatus {
    const isSettled = watchedForMs(state, this.#clock.monotonic()) >= settledWatchMs;
    return {
      phase: this.#life === "running" ? phaseOf(state) : this.#life === "new" ? "idle" : "stopped",
      lastContactMs: this.#lastContactMs,
      failingSinceMs: isSettled ? undefined : this.#troubledSinceMs,
      resourceVersion: state.resourceVersion,
      lists: this.#lists,
      watches: this.#watches,
      errors: this.#errors,
      lastFailure: this.#lastFailure,
    };
  }

  #tell(state: ReflectorState): void {
    if (this.#listeners.size > 0) this.#listeners.emit(this.statusAt(state));
  }
}

function phaseOf({ phase }: ReflectorState): ReflectorStatus["phase"] {
  // A streamed list is a list to whoever waits for it.
  return phase.at === "streaming" ? "listing" : phase.at;
}
