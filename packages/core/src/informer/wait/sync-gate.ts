// Something that happens once, or turns out never to: what everyone waits at for a cache or a handler to be in sync.
import { type Deferred, deferred, untilAborted } from "../../base/index.ts";

export class SyncGate {
  #state: "shut" | "open" | "failed" = "shut";
  // Made when someone waits: most gates are only ever asked.
  #waiters: Deferred<void> | undefined;
  #error: unknown;

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Lets everyone through, now and later. A gate that has failed stays so. */
  open(): void {
    if (this.#state !== "shut") return;
    this.#state = "open";
    this.#waiters?.resolve();
  }

  /** It will never open: tells those who wait, and who come. One that is open stays so. */
  fail(error: unknown): void {
    if (this.#state !== "shut") return;
    this.#state = "failed";
    this.#error = error;
    this.#waiters?.reject(error);
  }

  /** Resolves when it opens; rejects when it fails, or with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#state === "open") return;
    if (this.#state === "failed") throw this.#error;
    this.#waiters ??= deferred();
    await untilAborted(this.#waiters.promise, signal);
  }
}
