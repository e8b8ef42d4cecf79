// One AbortSignal stops anything. These are the ways to listen to a long-lived signal that leave nothing behind on it:
// however many children, timeouts and waits a signal has had, it carries at most one platform listener while any of them
// lives and none afterwards. `AbortSignal.any` and plain listeners do not have that property on Node 20.
//
// Gotcha: disposing of a child detaches it; it does not abort it. `runTogether` and `TaskScope` abort.
import type { Clock } from "./clock.ts";
import { KubeloopError } from "./errors.ts";

type AbortCallback = (reason: unknown) => void;

/** Everyone who hears of one signal through `onAbort`, in the order they came. */
class Fanout {
  readonly #signal: AbortSignal;
  readonly #waiting = new Set<Waiting>();
  /** The one platform listener; undefined where whoever aborts the signal calls `tellAll` itself. */
  readonly #hear: (() => void) | undefined;

  constructor(signal: AbortSignal, teller: "the platform" | "its controller") {
    this.#signal = signal;
    this.#hear = teller === "the platform" ? () => this.tellAll() : undefined;
  }

  add(call: AbortCallback): Disposable {
    if (this.#hear !== undefined && this.#waiting.size === 0) this.#signal.addEventListener("abort", this.#hear);
    const waiting = new Waiting(this, call);
    this.#waiting.add(waiting);
    return waiting;
  }

  remove(waiting: Waiting): void {
    if (!this.#waiting.delete(waiting) || this.#hear === undefined || this.#waiting.size > 0) return;
    this.#signal.removeEventListener("abort", this.#hear);
  }

  tellAll(): void {
    if (this.#hear !== undefined) this.#signal.removeEventListener("abort", this.#hear);
    // Whoever is let go of by an earlier callback is no longer told; nobody can join, the signal having fired.
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      try {
        waiting.call(this.#signal.reason);
      } catch (error) {
        // As the platform does for its own listeners: the others still hear, and the bug surfaces as an uncaught error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** One who hears of a signal; disposing of it lets go. */
class Waiting implements Disposable {
  readonly call: AbortCallback;
  readonly #fanout: Fanout;

  constructor(fanout: Fanout, call: AbortCallback) {
    this.#fanout = fanout;
    this.call = call;
  }

  [Symbol.dispose](): void {
    this.#fanout.remove(this);
  }
}

/** Of signals that are aborted elsewhere. */
const fanouts = new WeakMap<AbortSignal, Fanout>();

/** Where a signal that was made here has its controller: an entry in a WeakMap would cost more than the signal. */
const controllerOf = Symbol("controller");

interface ToldSignal extends AbortSignal {
  [controllerOf]?: TellingController;
}

/**
 * An AbortController that calls those who listen by `onAbort` itself. Its signal needs no platform listener for them, and adding
 * and removing one costs more than most of what is waited for: every request, reconcile and wait for a queue would pay it.
 */
export class TellingController {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #fanout: Fanout | undefined;

  constructor() {
    const signal: ToldSignal = this.#controller.signal;
    signal[controllerOf] = this;
    this.signal = signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#fanout?.tellAll();
  }

  /** Only for `onAbort`. */
  add(callback: AbortCallback): Disposable {
    this.#fanout ??= new Fanout(this.signal, "its controller");
    return this.#fanout.add(callback);
  }
}

const nothingToUndo: Disposable = { [Symbol.dispose]() {} };

/** Calls back once, when `signal` aborts (at once if it has), unless disposed of before. */
export function onAbort(signal: AbortSignal, callback: AbortCallback): Disposable {
  if (signal.aborted) {
    callback(signal.reason);
    return nothingToUndo;
  }
  const told: ToldSignal = signal;
  if (told[controllerOf] !== undefined) return told[controllerOf].add(callback);
  let fanout = fanouts.get(signal);
  if (fanout === undefined) {
    fanout = new Fanout(signal, "the platform");
    fanouts.set(signal, fanout);
  }
  return fanout.add(callback);
}

/** A signal of one's own that also aborts with its parent. Dispose of it to let go of the parent. */
export interface ChildSignal extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

export function childSignal(parent: AbortSignal): ChildSignal {
  const controller = new TellingController();
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
  readonly #controller = new TellingController();
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
