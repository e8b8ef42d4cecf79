// Lets so many through a second, in the order they came. One limiter may serve any number of transports: they share its
// tokens and stand in one line.
//
// Promises: nobody overtakes. Who gives up leaves the line without having taken a token, and those behind move up. While
// anybody waits there is one timer, otherwise none; nothing stays on a signal.
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

  /** How many stand in line. */
  get waiting(): number {
    return this.#line.size;
  }

  /** How long somebody who came now would wait, if nobody gave up. */
  get waitMs(): number {
    return this.#msUntilToken(this.#line.size);
  }

  /** Takes a token if there is one and nobody waits for it. */
  tryTake(): boolean {
    if (this.waitMs > 0) return false;
    this.#take();
    return true;
  }

  /** Resolves with a token taken; rejects with the signal's reason, having taken none. */
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
      // The timer is for the first in line and never early, so there is a token, whatever rounding makes of the sums. There
      // are more when the timer is late.
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
