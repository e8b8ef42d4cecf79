// Limits requests per second, in FIFO order. One limiter may serve any number of transports: they share its
// tokens and its queue.
//
// Promises: no request overtakes another. An aborted request leaves the queue without taking a token, and those behind it move
// up. While requests wait there is one timer, otherwise none; no listener stays on a signal.
import { type Clock, KubeloopError, onAbort } from "../../base/index.ts";
import { fullBucket, msUntilToken, type TokenBucketPolicy, takeToken } from "../../base/token-bucket.ts";
import { WaitingLine } from "../../base/waiting-line.ts";

export interface RateLimiterOptions extends TokenBucketPolicy {
  readonly clock: Clock;
}

export class RateLimiter {
  readonly #policy: TokenBucketPolicy;
  readonly #clock: Clock;
  readonly #line = new WaitingLine<() => void>();
  #bucket = fullBucket;
  #timer: Disposable | undefined;

  constructor({ qps, burst, clock }: RateLimiterOptions) {
    if (!(qps > 0)) throw invalid(`qps must be greater than 0, not ${qps}`);
    if (!Number.isInteger(burst) || burst < 1) throw invalid(`burst must be a whole number from 1 on, not ${burst}`);
    this.#policy = { qps, burst };
    this.#clock = clock.labelled({ kind: "work", name: "client rate limiter" });
  }

  get qps(): number {
    return this.#policy.qps;
  }

  get burst(): number {
    return this.#policy.burst;
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#line.size;
  }

  /** Returns how long a new request would wait, if none is aborted. */
  get waitMs(): number {
    return this.#msUntilToken(this.#line.size);
  }

  /** Takes a token if there is one and no request waits. */
  tryTake(): boolean {
    if (this.waitMs > 0) return false;
    this.#take();
    return true;
  }

  /** Waits for a token and takes it; rejects with the signal's reason without taking one. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.tryTake()) return resolve();
      const place = this.#line.join(() => {
        watch[Symbol.dispose]();
        resolve();
      });
      const watch = onAbort(signal, (reason) => {
        this.#line.leave(place);
        if (this.#line.size === 0) this.#stopTimer();
        reject(reason);
      });
      this.#timer ??= this.#startTimer();
    });
  }

  #startTimer(): Disposable {
    return this.#clock.after(this.#msUntilToken(0), () => {
      this.#timer = undefined;
      // The timer is for the first waiting request and never fires early, so there is a token, whatever the rounding. There
      // are more if the timer is late.
      do {
        this.#take();
        this.#line.shift()?.();
      } while (this.#line.size > 0 && this.#msUntilToken(0) === 0);
      if (this.#line.size > 0) this.#timer = this.#startTimer();
    });
  }

  #stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #msUntilToken(ahead: number): number {
    return msUntilToken(this.#bucket, this.#policy, { nowMs: this.#clock.monotonic(), ahead });
  }

  #take(): void {
    this.#bucket = takeToken(this.#bucket, this.#policy, this.#clock.monotonic());
  }
}

function invalid(message: string): KubeloopError {
  return new KubeloopError(`rate limiter: ${message}`, { reason: "Invalid", retry: "never" });
}
