// A one-time event that either happens or fails: the sync of a cache or a handler. Callbacks are called
// before `open` returns, promises settle after it.
import { type Deferred, deferred, Listeners, untilAborted } from "../../base/index.ts";

export interface SyncGateOptions {
  /** Called with the error of a callback. Without it, the error becomes an uncaught one. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export class SyncGate {
  readonly #options: SyncGateOptions;
  #state: "shut" | "open" | "failed" = "shut";
  // Created on the first wait: most gates are only polled.
  #waiters: Deferred<void> | undefined;
  #callbacks: Listeners<void> | undefined;
  #error: unknown;

  constructor(options: SyncGateOptions = {}) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Releases all waiters, now and later. Does nothing on a gate that has failed. */
  open(): void {
    if (this.#state !== "shut") return;
    this.#state = "open";
    this.#waiters?.resolve();
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    callbacks?.emit();
  }

  /** The gate will never open: rejects current and later waiters. Does nothing on an open gate. */
  fail(error: unknown): void {
    if (this.#state !== "shut") return;
    this.#state = "failed";
    this.#error = error;
    this.#callbacks = undefined;
    this.#waiters?.reject(error);
  }

  /** Resolves when the gate opens; rejects when it fails, or with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#state === "open") return;
    if (this.#state === "failed") throw this.#error;
    this.#waiters ??= deferred();
    await untilAborted(this.#waiters.promise, signal);
  }

  /** Calls back once when the gate opens; immediately if it is open; never if it fails. */
  onOpen(callback: () => void): Disposable {
    if (this.#state === "shut") {
      this.#callbacks ??= new Listeners(this.#options.onError ?? surface);
      return this.#callbacks.subscribe(callback);
    }
    if (this.#state === "open") callback();
    return nothingToUndo;
  }
}

const nothingToUndo: Disposable = { [Symbol.dispose]() {} };

function surface(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
