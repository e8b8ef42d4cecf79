// Who may begin now. A turn of the event loop in which many requests arrive would answer all of them before anybody else in this process
// has a say: timers, other sockets, controllers. So requests begin in the first few milliseconds of a turn only; the others wait, and go on
// in the order they came.
import { type Clock, type Deferred, deferred, RingBuffer } from "@kubeloop/core/base";

/** As long as requests may begin in one turn. */
const sliceMs = 5;

export class FairTurns {
  readonly #clock: Clock;
  readonly #waiting = new RingBuffer<Deferred<void>>();
  /** When this turn began, if anybody has come in it. */
  #turnMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined for who may go on at once, else a promise for when. It never rejects. */
  enter(): Promise<void> | undefined {
    if (this.#waiting.size === 0 && this.#hasTime()) return undefined;
    const turn = deferred();
    this.#waiting.push(turn);
    if (this.#waiting.size === 1) void this.#letIn();
    return turn.promise;
  }

  #hasTime(): boolean {
    const nowMs = this.#clock.monotonic();
    if (this.#turnMs === undefined) {
      this.#turnMs = nowMs;
      void this.#clock.yield().then(() => {
        this.#turnMs = undefined;
      });
    }
    return nowMs - this.#turnMs < sliceMs;
  }

  /** Ends when nobody waits. */
  async #letIn(): Promise<void> {
    while (this.#waiting.size > 0) {
      await this.#clock.yield();
      const begunMs = this.#clock.monotonic();
      do {
        this.#waiting.shift()?.resolve();
        await untilItWaits();
      } while (this.#waiting.size > 0 && this.#clock.monotonic() - begunMs < sliceMs);
    }
  }
}

/** Until who was let in has done what it can without waiting for anything: behind all microtasks. */
const untilItWaits = () => new Promise<void>((resolve) => process.nextTick(resolve));
