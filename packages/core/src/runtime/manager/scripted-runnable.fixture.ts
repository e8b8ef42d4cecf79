// Runnables that follow the script of a test, and a record of what each did at which time.
import type { Clock, FakeClock } from "../../base/index.ts";
import type { Placement, Runnable } from "./runnable.ts";

export interface Script extends Placement {
  /** Ready after this time; Infinity for never. Immediately unless given. */
  readonly readyMs?: number;
  /** Returns from `run` after this time, without an abort. */
  readonly endsMs?: number;
  /** Fails after this time. */
  readonly failsMs?: number;
  /** Takes this time to end after the abort; Infinity for never. Ends immediately unless given. */
  readonly endingMs?: number;
  /** Fails after the abort instead of ending. */
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

  /** Returns a runnable that records its steps, for example "0 a starts", "0 a is told" (its signal has aborted), "0 a ends". */
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
