// Decides when a request that has arrived on a socket begins.
//
// - Requests begin in the first few milliseconds of a turn of the event loop only. A turn in which many arrive would answer all of them before
//   anybody else in this process has a say: timers, other sockets, controllers. The others wait, in the order they came.
// - What is in flight is limited in number and in the bytes of the bodies, whoever asks: the sum of kube-apiserver's two limits, and room for some
//   twenty of the largest bodies. Who comes on top of that waits, before its body is read. Requests without a body do not wait for room for bodies.
// - Those who wait are limited, too. Who finds the queue full is refused, to come back later (429).
//
// A long-running request (a watch, a log, a connection) waits for its turn, and is not counted.
import { type Clock, type Deferred, deferred, RingBuffer } from "@kubeloop/core/base";

export interface SchedulerLimits {
  /** Requests in flight. Default: 600, `--max-requests-inflight` and `--max-mutating-requests-inflight` together. */
  readonly running?: number;
  /** Bytes of the bodies of those. Default: 64 MiB. */
  readonly bytes?: number;
  /** Requests that wait. Default: 2,000. */
  readonly waiting?: number;
}

/** What a request asks for. */
export interface ScheduledRequest {
  readonly isLongRunning: boolean;
  /** Of its body, at most. */
  readonly bytes: number;
}

interface Waiting {
  readonly request: ScheduledRequest;
  readonly turn: Deferred<Disposable>;
  /** How many had come before. */
  readonly order: number;
}

/** As long as requests may begin in one turn. */
const sliceMs = 5;

export class RequestScheduler {
  readonly #clock: Clock;
  readonly #limits: Required<SchedulerLimits>;
  /** By what they wait for: a turn only, a place among those in flight, room for a body as well. */
  readonly #queues = [new RingBuffer<Waiting>(), new RingBuffer<Waiting>(), new RingBuffer<Waiting>()] as const;
  #arrivals = 0;
  #running = 0;
  #bytes = 0;
  #isLettingIn = false;
  /** When this turn began, if anybody has come in it. */
  #turnMs: number | undefined;

  constructor(clock: Clock, { running = 600, bytes = 64 * 1024 * 1024, waiting = 2_000 }: SchedulerLimits = {}) {
    this.#clock = clock;
    this.#limits = { running, bytes, waiting };
  }

  /**
   * Returns what ends the request: at once for one that may begin, else as a promise that never rejects. Returns undefined for a request that
   * is refused.
   */
  enter(request: ScheduledRequest): Disposable | Promise<Disposable> | undefined {
    if (this.#nextQueue() === undefined && this.#hasRoom(request) && this.#hasTime()) return this.#begin(request);
    const [forTurn, forPlace, forBody] = this.#queues;
    if (forTurn.size + forPlace.size + forBody.size >= this.#limits.waiting) return undefined;
    const turn = deferred<Disposable>();
    const queue = request.isLongRunning ? forTurn : request.bytes === 0 ? forPlace : forBody;
    queue.push({ request, turn, order: this.#arrivals++ });
    this.#wake();
    return turn.promise;
  }

  /** A body that is larger than the limit is let in alone. */
  #hasRoom({ isLongRunning, bytes }: ScheduledRequest): boolean {
    if (isLongRunning) return true;
    return this.#running < this.#limits.running && (this.#bytes === 0 || this.#bytes + bytes <= this.#limits.bytes);
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

  #begin({ isLongRunning, bytes }: ScheduledRequest): Disposable {
    if (isLongRunning) return nothing;
    this.#running++;
    this.#bytes += bytes;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#running--;
        this.#bytes -= bytes;
        this.#wake();
      },
    };
  }

  #wake(): void {
    if (this.#isLettingIn || this.#nextQueue() === undefined) return;
    this.#isLettingIn = true;
    void this.#letIn();
  }

  /** Returns the queue of who came first among those for whom there is room. */
  #nextQueue(): RingBuffer<Waiting> | undefined {
    let next: RingBuffer<Waiting> | undefined;
    let order = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues) {
      const first = queue.peek();
      if (first === undefined || first.order > order || !this.#hasRoom(first.request)) continue;
      next = queue;
      order = first.order;
    }
    return next;
  }

  /** Ends when nobody waits, or nobody for whom there is room. */
  async #letIn(): Promise<void> {
    while (this.#nextQueue() !== undefined) {
      await this.#clock.yield();
      const begunMs = this.#clock.monotonic();
      for (let queue = this.#nextQueue(); queue !== undefined; queue = this.#nextQueue()) {
        const next = queue.shift();
        if (next !== undefined) next.turn.resolve(this.#begin(next.request));
        await untilItWaits();
        if (this.#clock.monotonic() - begunMs >= sliceMs) break;
      }
    }
    this.#isLettingIn = false;
  }
}

const nothing: Disposable = { [Symbol.dispose]: () => {} };

/** Until who was let in has done what it can without waiting for anything: behind all microtasks. */
const untilItWaits = () => new Promise<void>((resolve) => process.nextTick(resolve));
