// Detects watches that hang. A streamed list without a response or without progress is "silent". A watch that the server should have ended
// by now, and on which nothing arrives, is "overdue": its connection is probably dead without either side having noticed.
//
// Progress of a streamed list means added objects. Other events do not count: a server that does not know
// streamed lists ignores the option, starts a plain watch and may send those for ever.
import type { Clock } from "../../base/index.ts";

/** Added to the requested timeout, because requests are retried and servers are slow. */
const overdueMarginMs = 30_000;
/** Servers send bookmarks about every minute. A watch with an event within this time is alive, and may exceed its timeout. */
const aliveMs = 90_000;

export interface StreamedListLimits {
  /** How long it may take until the first event or bookmark. */
  readonly answerMs: number;
  /** The longest time without progress. */
  readonly progressMs: number;
}

export interface WatchGuardOptions {
  readonly clock: Clock;
  /** The timeout that the watch requested from the server. */
  readonly timeoutMs: number;
  /** Undefined for a plain watch. */
  readonly streamedList: StreamedListLimits | undefined;
  readonly onTrouble: (trouble: "silent" | "overdue") => void;
}

export class WatchGuard implements Disposable {
  readonly #clock: Clock;
  readonly #onTrouble: WatchGuardOptions["onTrouble"];
  #lastEventMs: number;
  #isAnswered = false;
  #progressMs: number;
  #overdueTimer: Disposable;
  #silenceTimer: Disposable | undefined;

  constructor({ clock, timeoutMs, streamedList, onTrouble }: WatchGuardOptions) {
    this.#clock = clock.labelled({ kind: "background", name: "watch guard" });
    this.#onTrouble = onTrouble;
    this.#lastEventMs = clock.monotonic();
    this.#progressMs = this.#lastEventMs;
    this.#overdueTimer = this.#clock.after(timeoutMs + overdueMarginMs, () => this.#checkOverdue());
    if (streamedList !== undefined) this.#awaitAnswer(streamedList);
  }

  /** An event or bookmark arrived. */
  hear(): void {
    this.#lastEventMs = this.#clock.monotonic();
    this.#isAnswered = true;
  }

  /** An object was added to the streamed list. */
  progress(): void {
    this.#progressMs = this.#lastEventMs;
  }

  /** The streamed list is complete: from now on it is a plain watch. */
  complete(): void {
    this.#silenceTimer?.[Symbol.dispose]();
    this.#silenceTimer = undefined;
  }

  [Symbol.dispose](): void {
    this.complete();
    this.#overdueTimer[Symbol.dispose]();
  }

  // One timer for the whole watch: an event only records its time.
  #checkOverdue(): void {
    const leftMs = this.#lastEventMs + aliveMs - this.#clock.monotonic();
    if (leftMs <= 0) this.#onTrouble("overdue");
    else this.#overdueTimer = this.#clock.after(leftMs, () => this.#checkOverdue());
  }

  #awaitAnswer({ answerMs, progressMs }: StreamedListLimits): void {
    const firstMs = Math.min(answerMs, progressMs);
    this.#silenceTimer = this.#clock.after(firstMs, () => {
      if (this.#isAnswered) this.#awaitProgress(progressMs - firstMs, progressMs);
      else this.#onTrouble("silent");
    });
  }

  #awaitProgress(delayMs: number, limitMs: number): void {
    this.#silenceTimer = this.#clock.after(delayMs, () => {
      const leftMs = this.#progressMs + limitMs - this.#clock.monotonic();
      if (leftMs <= 0) this.#onTrouble("silent");
      else this.#awaitProgress(leftMs, limitMs);
    });
  }
}
