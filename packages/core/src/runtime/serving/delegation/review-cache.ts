// Remembers answers of the server for a while, so that a scraper does not cost it a review each time. Answers are kept by their question, as
// many as fit; who asks while the same question is under way waits for that one answer, also if the one who asked first goes away. A failure is not
// kept.
import { type Clock, SharedWork } from "../../../base/index.ts";
import type { ReviewCacheObserver } from "./review-observers.ts";

interface Kept<T> {
  readonly value: T;
  readonly untilMs: number;
}

const mostKept = 4096;

export class ReviewCache<T> {
  readonly #clock: Clock;
  readonly #ttlMsOf: (value: T) => number;
  readonly #observer: ReviewCacheObserver | undefined;
  readonly #kept = new Map<string, Kept<T>>();
  readonly #asking = new Map<string, SharedWork<T>>();

  constructor(clock: Clock, ttlMsOf: (value: T) => number, observer?: ReviewCacheObserver) {
    this.#clock = clock;
    this.#ttlMsOf = ttlMsOf;
    this.#observer = observer;
  }

  async get(question: string, ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const kept = this.#kept.get(question);
    const startMs = this.#clock.monotonic();
    if (kept !== undefined && startMs < kept.untilMs) {
      this.#observer?.answered(true, 0);
      return kept.value;
    }
    this.#observer?.waiting(1);
    try {
      return await this.#askingOf(question, ask).join(signal);
    } finally {
      this.#observer?.waiting(-1);
      this.#observer?.answered(false, (this.#clock.monotonic() - startMs) / 1000);
    }
  }

  #askingOf(question: string, ask: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
    const known = this.#asking.get(question);
    if (known !== undefined) return known;
    const asking = new SharedWork((signal) => this.#ask(question, ask, signal));
    this.#asking.set(question, asking);
    return asking;
  }

  async #ask(question: string, ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#observer?.fetching(1);
    let isOk = false;
    try {
      const value = await ask(signal);
      isOk = true;
      const ttlMs = this.#ttlMsOf(value);
      if (ttlMs > 0) this.#keep(question, { value, untilMs: this.#clock.monotonic() + ttlMs });
      return value;
    } finally {
      this.#asking.delete(question);
      this.#observer?.fetching(-1);
      this.#observer?.fetched(isOk);
    }
  }

  #keep(question: string, kept: Kept<T>): void {
    this.#kept.delete(question);
    this.#kept.set(question, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}
