// Something that happens once, or turns out never to: what everyone waits at for a cache or a handler to be in sync. Callbacks are called
// before `open` returns, promises settle after it.
import { type Deferred, deferred, Listeners, untilAborted } from "../../base/index.ts";

export interface SyncGateOptions {
  /** Hears of a callback that threw. Unless given, the error surfaces as an uncaught one. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export class SyncGate {
  readonly #options: SyncGateOptions;
  #state: "shut" | "open" | "failed" = "shut";
  // Made when someone waits: most gates are only ever asked.
  #waiters: Deferred<void> | undefined;
  #callbacks: Listeners<void> | undefined;
  #error: unknown;

  constructor(options: SyncGateOptions = {}) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Lets everyone through, now and later. A gate that has failed stays so. */
  open(): void {
    if (this.#state !== "shut") return;
    this.#state = "open";
    this.#waiters?.resolve();
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    callbacks?.emit();
  }

  /** It will never open: tells those who wait, and who come. One that is open stays so. */
  fail(error: unknown): void {
    if (this.#state !== "shut") return;
    this.#state = "failed";
    this.#error = error;
    this.#callbacks = undefined;
    this.#waiters?.reject(error);
  }

  /** Resolves when it opens; rejects when it fails, or with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#state === "open") return;
    if (this.#state === "failed") throw this.#error;
    this.#waiters ??= deferred();
    await untilAborted(this.#waiters.promise, signal);
  }

  /** Calls back once, when it opens; at once if it is open; never if it fails. */
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
