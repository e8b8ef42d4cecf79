// Notices what a watch does not say. A streamed list that is not answered, or makes no progress, is silent; a watch that should have been ended by
// now, and on which nothing is heard, is overdue: its connection is most likely dead, and nobody has noticed.
//
// Progress of a streamed list is objects that are added. Other events may come for ever from a server that has never heard of
// streamed lists and just began to watch.
import type { Clock } from "../../base/index.ts";

/** Beyond the time asked for: requests are tried again, and servers are slow. */
const overdueMarginMs = 30_000;
/** Servers send bookmarks about every minute. What was heard from later than this is alive, and may outlive its time. */
const aliveMs = 90_000;

export interface StreamedListLimits {
  /** How long nothing at all may come. */
  readonly answerMs: number;
  /** How long it may make no progress. */
  readonly progressMs: number;
}

export interface WatchGuardOptions {
  readonly clock: Clock;
  /** After which the server was asked to end the watch. */
  readonly timeoutMs: number;
  /** Undefined for a plain watch. */
  readonly streamedList: StreamedListLimits | undefined;
  readonly onTrouble: (trouble: "silent" | "overdue") => void;
}

export class WatchGuard implements Disposable {
  readonly #clock: Clock;
  readonly #onTrouble: WatchGuardOptions["onTrouble"];
  #heardMs: number;
  #isAnswered = false;
  #progressMs: number;
  #overdueTimer: Disposable;
  #silenceTimer: Disposable | undefined;

  constructor({ clock, timeoutMs, streamedList, onTrouble }: WatchGuardOptions) {
    this.#clock = clock.labelled({ kind: "background", name: "watch guard" });
    this.#onTrouble = onTrouble;
    this.#heardMs = clock.monotonic();
    this.#progressMs = this.#heardMs;
    this.#overdueTimer = this.#clock.after(timeoutMs + overdueMarginMs, () => this.#checkOverdue());
    if (streamedList !== undefined) this.#awaitAnswer(streamedList);
  }

  /** Something came. */
  hear(): void {
    this.#heardMs = this.#clock.monotonic();
    this.#isAnswered = true;
  }

  /** The streamed list has grown. */
  progress(): void {
    this.#progressMs = this.#heardMs;
  }

  /** The streamed list is complete: from now on it is a watch like others. */
  complete(): void {
    this.#silenceTimer?.[Symbol.dispose]();
    this.#silenceTimer = undefined;
  }

  [Symbol.dispose](): void {
    this.complete();
    this.#overdueTimer[Symbol.dispose]();
  }

  // One timer for the whole watch: what arrives only notes when it came.
  #checkOverdue(): void {
    const leftMs = this.#heardMs + aliveMs - this.#clock.monotonic();
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
