// Long work in one process with everybody else's: whoever goes through many things asks after each, and rests when it has worked for a
// few milliseconds.
import type { Clock } from "@kubeloop/core/base";

const sliceMs = 4;
/** Looking at the clock costs as much as a small piece of work. */
const piecesPerLook = 16;

export class Breath {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #untilLook = piecesPerLook;
  #begunMs: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#begunMs = clock.monotonic();
  }

  /** To be asked after each small piece. */
  isDue(): boolean {
    if (--this.#untilLook > 0) return false;
    this.#untilLook = piecesPerLook;
    return this.isLongSince();
  }

  /** To be asked after each large piece. */
  isLongSince(): boolean {
    return this.#clock.monotonic() - this.#begunMs >= sliceMs;
  }

  /** What passed so far was waiting, not work. */
  begin(): void {
    this.#begunMs = this.#clock.monotonic();
  }

  /** Lets everybody else have a turn. Throws when nobody wants the rest. */
  async take(): Promise<void> {
    await this.#clock.yield();
    this.#signal.throwIfAborted();
    this.begin();
  }
}
