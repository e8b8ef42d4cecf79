// Detects that a stream has been silent for too long while a reader waited for it. A connection whose other end has vanished
// without closing it looks like one on which nothing happens; only time tells them apart.
//
// One timer for the whole stream: arriving data only records its time. A slow reader does not count as silence.
import { TransportError } from "../../api/transport.ts";
import type { Clock } from "../../base/index.ts";

export interface SilenceOptions {
  readonly clock: Clock;
  readonly limitMs: number;
}

export class SilenceLimit implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onSilent: () => void;
  #waitingSinceMs: number | undefined;
  #timer: Disposable | undefined;
  #state: "listening" | "silent" | "over" = "listening";

  constructor({ clock, limitMs }: SilenceOptions, onSilent: () => void) {
    this.#clock = clock.labelled({ kind: "background", name: "watch silence" });
    this.#limitMs = limitMs;
    this.#onSilent = onSilent;
  }

  /** A reader starts to wait. */
  wait(): void {
    if (this.#state !== "listening") return;
    this.#waitingSinceMs = this.#clock.monotonic();
    this.#timer ??= this.#clock.after(this.#limitMs, () => this.#check());
  }

  /** Data arrived, and the reader is busy with it. */
  hear(): void {
    this.#waitingSinceMs = undefined;
  }

  throwIfSilent(): void {
    if (this.#state !== "silent") return;
    throw new TransportError(`nothing was received for ${this.#limitMs} ms`, { reason: "Silent", wasSent: "maybe" });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#state === "listening") this.#state = "over";
  }

  #check(): void {
    this.#timer = undefined;
    const sinceMs = this.#waitingSinceMs;
    // The reader's next wait starts the timer again.
    if (sinceMs === undefined) return;
    const remainingMs = sinceMs + this.#limitMs - this.#clock.monotonic();
    if (remainingMs > 0) {
      this.#timer = this.#clock.after(remainingMs, () => this.#check());
      return;
    }
    this.#state = "silent";
    this.#onSilent();
  }
}
