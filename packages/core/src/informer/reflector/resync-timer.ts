// Calls the store's resync periodically while a watch is open or about to be reopened. If the store throws, the watch ends, as
// upstream: the timer stops and calls `onError`.
import type { Clock } from "../../base/index.ts";

export interface ResyncTimerOptions {
  readonly clock: Clock;
  /** 0: never. */
  readonly periodMs: number;
  /** Called each time. Default: always true. */
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

  /** Does nothing if the timer already runs: reopening a watch does not delay the next resync. */
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
