// One AbortSignal stops anything. These are the ways to listen to a long-lived signal that leave nothing behind on it:
// however many children, timeouts and waits a signal has had, it carries at most one platform listener while any of them
// lives and none afterwards. `AbortSignal.any` and plain listeners do not have that property on Node 20.
//
// Gotcha: disposing of a child detaches it; it does not abort it. `runTogether` and `TaskScope` abort.
import type { Clock } from "./clock.ts";
import { KubeloopError } from "./errors.ts";

type AbortCallback = (reason: unknown) => void;

/** The one listener of a signal, and everyone who hears through it, in the order they came. */
class Fanout {
  readonly #signal: AbortSignal;
  readonly #callbacks = new Set<{ readonly call: AbortCallback }>();
  readonly #hear = () => this.#tellAll();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(call: AbortCallback): Disposable {
    const entry = { call };
    if (this.#callbacks.size === 0) this.#signal.addEventListener("abort", this.#hear);
    this.#callbacks.add(entry);
    return {
      [Symbol.dispose]: () => {
        if (this.#callbacks.delete(entry) && this.#callbacks.size === 0) {
          this.#signal.removeEventListener("abort", this.#hear);
        }
      },
    };
  }

  #tellAll(): void {
    this.#signal.removeEventListener("abort", this.#hear);
    // Whoever is let go of by an earlier callback is no longer told; nobody can join, the signal having fired.
    for (const entry of this.#callbacks) {
      this.#callbacks.delete(entry);
      try {
        entry.call(this.#signal.reason);
      } catch (error) {
        // As the platform does for its own listeners: the others still hear, and the bug surfaces as an uncaught error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

// On the signal itself: a WeakMap of signals that live as long as one request keeps them until the next full collection, and makes every
// small one slower.
const fanoutOf = Symbol("kubeloop.fanout");
type ListenedSignal = AbortSignal & { [fanoutOf]?: Fanout };
const nothingToUndo: Disposable = { [Symbol.dispose]() {} };

/** Calls back once, when `signal` aborts (at once if it has), unless disposed of before. */
export function onAbort(signal: AbortSignal, callback: AbortCallback): Disposable {
  if (signal.aborted) {
    callback(signal.reason);
    return nothingToUndo;
  }
  const listened: ListenedSignal = signal;
  listened[fanoutOf] ??= new Fanout(signal);
  return listened[fanoutOf].add(callback);
}

/** A signal of one's own that also aborts with its parent. Dispose of it to let go of the parent. */
export interface ChildSignal extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

export function childSignal(parent: AbortSignal): ChildSignal {
  const controller = new AbortController();
  const watch = onAbort(parent, (reason) => controller.abort(reason));
  return {
    signal: controller.signal,
    abort(reason) {
      watch[Symbol.dispose]();
      controller.abort(reason);
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  };
}

/** The reason of a signal that aborted because its time was up. */
export class TimeoutError extends KubeloopError {
  constructor(what: string, afterMs: number) {
    super(`${what} timed out after ${afterMs} ms`, { reason: "Timeout" });
  }
}

export interface TimeoutOptions {
  readonly clock: Clock;
  /** Named in the error: "the list", "releasing the lease". A function where the name costs something to make. */
  readonly what: string | (() => string);
  /** Named in the error where part of the time had passed already; `afterMs` unless given. */
  readonly outOfMs?: number;
}

/** A child that also aborts, with a TimeoutError, after `afterMs`. Dispose of it to drop timer and parent. */
export function timeoutSignal(parent: AbortSignal, afterMs: number, options: TimeoutOptions): ChildSignal {
  return parent.aborted ? childSignal(parent) : new TimeoutSignal(parent, afterMs, options);
}

class TimeoutSignal implements ChildSignal {
  readonly #controller = new AbortController();
  readonly #timer: Disposable;
  readonly #parent: Disposable;

  constructor(parent: AbortSignal, afterMs: number, options: TimeoutOptions) {
    this.#timer = options.clock.after(afterMs, () => {
      const { what, outOfMs = afterMs } = options;
      this.abort(new TimeoutError(typeof what === "string" ? what : what(), outOfMs));
    });
    this.#parent = onAbort(parent, (reason) => this.abort(reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A function of its own, so that it may be taken out of the object. */
  readonly abort = (reason?: unknown): void => {
    this[Symbol.dispose]();
    this.#controller.abort(reason);
  };

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#parent[Symbol.dispose]();
  }
}

/** Settles as `work` does, or rejects with the signal's reason, whichever comes first. The loser is left to end alone. */
export function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const watch = onAbort(signal, reject);
    work.then(
      (value) => {
        watch[Symbol.dispose]();
        resolve(value);
      },
      (error: unknown) => {
        watch[Symbol.dispose]();
        reject(error);
      },
    );
  });
}
