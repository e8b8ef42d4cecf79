// Runnables that do what a test says, at the time it says, and a record of what they did when.
import type { Clock, FakeClock } from "../../base/index.ts";
import type { Placement, Runnable } from "./runnable.ts";

export interface Script extends Placement {
  /** Ready after so long; Infinity for never. At once unless given. */
  readonly readyMs?: number;
  /** Ends by itself after so long. */
  readonly endsMs?: number;
  /** Fails after so long. */
  readonly failsMs?: number;
  /** Takes so long to end when told; Infinity for never. At once unless given. */
  readonly endingMs?: number;
  /** Fails when told to end. */
  readonly failsEnding?: boolean;
  readonly fault?: string;
}

export class Diary {
  readonly lines: string[] = [];
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  note(what: string): void {
    this.lines.push(`${this.#clock.monotonic()} ${what}`);
  }

  /** `a` in group `always`: "0 a starts", "0 a is told", "0 a ends". */
  runnable(name: string, script: Script = {}): Runnable {
    const { readyMs, endsMs, failsMs, endingMs = 0, failsEnding, fault, ...placement } = script;
    const clock: Clock = this.#clock;
    return {
      ...placement,
      name,
      run: async (signal) => {
        this.note(`${name} starts`);
        try {
          await clock.sleep(failsMs ?? endsMs ?? Number.POSITIVE_INFINITY, signal);
        } catch (reason) {
          this.note(`${name} is told`);
          if (endingMs > 0) await clock.sleep(endingMs, new AbortController().signal);
          if (failsEnding === true) throw new Error(`${name} cannot end`);
          this.note(`${name} ends`);
          throw reason;
        }
        if (failsMs !== undefined) throw new Error(`${name} is broken`);
        this.note(`${name} ends`);
      },
      ...(readyMs === undefined
        ? {}
        : {
            whenReady: async (signal: AbortSignal) => {
              await clock.sleep(readyMs, signal);
              this.note(`${name} is ready`);
            },
          }),
      ...(fault === undefined ? {} : { findFault: () => fault }),
    };
  }
}
