// Asks a store, every so often while a watch is followed, to go through all it holds once more. A store that throws ends the
// watch, as upstream's does: the timer stops and says so.
import type { Clock } from "../../base/index.ts";

export interface ResyncTimerOptions {
  readonly clock: Clock;
  /** 0: never. */
  readonly periodMs: number;
  /** Asked each time; always, unless given. */
  readonly shouldResync: (() => boolean) | undefined;
  readonly resync: () => void;
  readonly onError: (error: unknown) => void;
}

export class ResyncTimer {
  readonly #options: ResyncTimerOptions;
  readonly #clock: Clock;
  #timer: Disposable | undefined;

  constructor(options: ResyncTimerOptions) {
    this.#options = options;
    this.#clock = options.clock.labelled({ kind: "background", name: "resync" });
  }

  /** Does nothing when it runs already: a watch that is opened again does not put the next resync off. */
  start(): void {
    if (this.#options.periodMs <= 0) return;
    this.#timer ??= this.#clock.after(this.#options.periodMs, () => this.#fire());
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    const { shouldResync, resync, onError } = this.#options;
    try {
      if (shouldResync?.() ?? true) resync();
      this.start();
    } catch (error) {
      onError(error);
    }
  }
}
