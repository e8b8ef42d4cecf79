// Remembers answers of the server for a while, so that a scraper does not cost it a review each time. Answers are kept by their question, as
// many as fit; who asks while the same question is under way waits for that one answer. A failure is not kept.
import type { Clock } from "@kubeloop/core/base";

interface Kept<T> {
  readonly value: T;
  readonly untilMs: number;
}

const mostKept = 4096;

export class ReviewCache<T> {
  readonly #clock: Clock;
  readonly #ttlMsOf: (value: T) => number;
  readonly #kept = new Map<string, Kept<T>>();
  readonly #asking = new Map<string, Promise<T>>();

  constructor(clock: Clock, ttlMsOf: (value: T) => number) {
    this.#clock = clock;
    this.#ttlMsOf = ttlMsOf;
  }

  async get(question: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(question);
    if (kept !== undefined && this.#clock.monotonic() < kept.untilMs) return kept.value;
    const asked = this.#asking.get(question) ?? this.#ask(question, ask);
    return await asked;
  }

  #ask(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = ask()
      .then((value) => {
        const ttlMs = this.#ttlMsOf(value);
        if (ttlMs > 0) this.#keep(question, { value, untilMs: this.#clock.monotonic() + ttlMs });
        return value;
      })
      .finally(() => this.#asking.delete(question));
    this.#asking.set(question, asked);
    return asked;
  }

  #keep(question: string, kept: Kept<T>): void {
    this.#kept.delete(question);
    this.#kept.set(question, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}
