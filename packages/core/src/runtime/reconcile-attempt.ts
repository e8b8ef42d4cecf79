// One attempt to reconcile one key: how often the key failed before, its span, and a signal that aborts when the deadline has passed or the
// controller stops. The signal and its timer are created at their first use, because most decisions end without using them. The deadline
// always counts from the start of the attempt.
import { type ChildSignal, type Clock, childSignal, TimeoutError, timeoutSignal } from "../base/index.ts";
import type { Span, SpanContext } from "./tracing/tracer.ts";

export interface AttemptOptions {
  readonly key: string;
  /** How many times in a row the key has failed before. */
  readonly failures: number;
  /** By the monotonic clock. */
  readonly startMs: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
}

export class Attempt implements Disposable {
  readonly key: string;
  readonly failures: number;
  /** Set when the attempt runs in a span. */
  span: Span | undefined;
  readonly #parent: AbortSignal;
  readonly #options: AttemptOptions;
  #limit: ChildSignal | undefined;
  #hasTimedOut = false;

  constructor(options: AttemptOptions, signal: AbortSignal) {
    this.key = options.key;
    this.failures = options.failures;
    this.#options = options;
    this.#parent = signal;
  }

  get signal(): AbortSignal {
    this.#limit ??= this.#newLimit();
    return this.#limit.signal;
  }

  /** Returns the span context that is recorded as the cause of the keys that this attempt adds to a queue. */
  get cause(): (() => SpanContext) | undefined {
    const { span } = this;
    return span === undefined ? undefined : () => span.spanContext();
  }

  /** Whether the deadline has passed. */
  get hasTimedOut(): boolean {
    return this.#hasTimedOut || (this.#limit?.signal.reason instanceof TimeoutError && !this.#parent.aborted);
  }

  get isAborted(): boolean {
    return this.#hasTimedOut || (this.#limit?.signal ?? this.#parent).aborted;
  }

  /** Returns a signal for one request. The signal aborts with the attempt, or when the request's own timeout has passed. */
  limitRequest(requestMs: number, what: () => string): ChildSignal {
    const { clock, key, startMs, deadlineMs } = this.#options;
    if (this.#limit !== undefined) return timeoutSignal(this.#limit.signal, requestMs, { clock, what });
    const leftMs = startMs + deadlineMs - clock.monotonic();
    if (requestMs < leftMs) return timeoutSignal(this.#parent, requestMs, { clock, what });
    const whole = () => {
      this.#hasTimedOut = true;
      return `reconcile of ${key}`;
    };
    return timeoutSignal(this.#parent, leftMs, { clock, what: whole, outOfMs: deadlineMs });
  }

  /** Throws when the deadline has passed or the controller stops. */
  throwIfAborted(): void {
    if (this.#limit === undefined && !this.#isLate()) this.#parent.throwIfAborted();
    else this.signal.throwIfAborted();
  }

  /** Ends the attempt: aborts the signal, if it was created. */
  end(newReason: () => Error): void {
    this.#limit?.abort(newReason());
  }

  [Symbol.dispose](): void {
    this.#limit?.[Symbol.dispose]();
  }

  #newLimit(): ChildSignal {
    const { clock, key, startMs, deadlineMs } = this.#options;
    const what = () => `reconcile of ${key}`;
    if (!this.#isLate()) {
      const leftMs = startMs + deadlineMs - clock.monotonic();
      return timeoutSignal(this.#parent, leftMs, { clock, what, outOfMs: deadlineMs });
    }
    const limit = childSignal(this.#parent);
    limit.abort(new TimeoutError(what(), deadlineMs));
    return limit;
  }

  #isLate(): boolean {
    const { clock, startMs, deadlineMs } = this.#options;
    return clock.monotonic() - startMs >= deadlineMs;
  }
}
