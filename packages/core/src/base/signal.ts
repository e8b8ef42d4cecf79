// Helpers to listen to a long-lived AbortSignal without leaking listeners: however many children, timeouts and waits a signal has had, it
// has at most one platform listener while any of them exists, and none afterwards. `AbortSignal.any` and plain listeners do not have
// that property on Node 20.
//
// Gotcha: disposing of a child detaches it; it does not abort it. `runTogether` and `TaskScope` abort.
import type { Clock } from "./clock.ts";
import { KubeloopError } from "./errors.ts";

type AbortCallback = (reason: unknown) => void;

/** The `onAbort` callbacks of one signal, in the order in which they were added. */
class AbortCallbacks {
  readonly #signal: AbortSignal;
  readonly #subscriptions = new Set<AbortSubscription>();
  /** The one platform listener. Undefined if the controller that aborts the signal calls `notifyAll` itself. */
  readonly #onPlatformAbort: (() => void) | undefined;

  constructor(signal: AbortSignal, notifiedBy: "platform" | "controller") {
    this.#signal = signal;
    this.#onPlatformAbort = notifiedBy === "platform" ? () => this.notifyAll() : undefined;
  }

  add(call: AbortCallback): Disposable {
    if (this.#onPlatformAbort !== undefined && this.#subscriptions.size === 0)
      this.#signal.addEventListener("abort", this.#onPlatformAbort);
    const subscription = new AbortSubscription(this, call);
    this.#subscriptions.add(subscription);
    return subscription;
  }

  remove(subscription: AbortSubscription): void {
    if (
      !this.#subscriptions.delete(subscription) ||
      this.#onPlatformAbort === undefined ||
      this.#subscriptions.size > 0
    )
      return;
    this.#signal.removeEventListener("abort", this.#onPlatformAbort);
  }

  notifyAll(): void {
    if (this.#onPlatformAbort !== undefined) this.#signal.removeEventListener("abort", this.#onPlatformAbort);
    // A callback that an earlier callback removed is not called. No callback can be added, because the signal is already aborted.
    for (const subscription of this.#subscriptions) {
      this.#subscriptions.delete(subscription);
      try {
        subscription.call(this.#signal.reason);
      } catch (error) {
        // As with platform listeners: the other callbacks still run, and the error surfaces as an uncaught error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** One `onAbort` callback; disposing of it removes the callback. */
class AbortSubscription implements Disposable {
  readonly call: AbortCallback;
  readonly #callbacks: AbortCallbacks;

  constructor(callbacks: AbortCallbacks, call: AbortCallback) {
    this.#callbacks = callbacks;
    this.call = call;
  }

  [Symbol.dispose](): void {
    this.#callbacks.remove(this);
  }
}

/** For signals whose controller is not an OnAbortController. */
const callbacksBySignal = new WeakMap<AbortSignal, AbortCallbacks>();

/** The property under which a signal stores its OnAbortController: an entry in a WeakMap would cost more than the signal. */
const controllerOf = Symbol("controller");

interface SignalWithController extends AbortSignal {
  [controllerOf]?: OnAbortController;
}

/**
 * An AbortController that calls `onAbort` callbacks directly, so its signal needs no platform listener for them. Adding and
 * removing a platform listener costs more than most waits, and every request, reconcile and queue wait would pay for it.
 */
export class OnAbortController {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #callbacks: AbortCallbacks | undefined;

  constructor() {
    const signal: SignalWithController = this.#controller.signal;
    signal[controllerOf] = this;
    this.signal = signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#callbacks?.notifyAll();
  }

  /** Only for `onAbort`. */
  add(callback: AbortCallback): Disposable {
    this.#callbacks ??= new AbortCallbacks(this.signal, "controller");
    return this.#callbacks.add(callback);
  }
}

const nothingToUndo: Disposable = { [Symbol.dispose]() {} };

/** Calls `callback` once when `signal` aborts, or immediately if it is already aborted, unless the result was disposed of before. */
export function onAbort(signal: AbortSignal, callback: AbortCallback): Disposable {
  if (signal.aborted) {
    callback(signal.reason);
    return nothingToUndo;
  }
  const signalWithController: SignalWithController = signal;
  if (signalWithController[controllerOf] !== undefined) return signalWithController[controllerOf].add(callback);
  let callbacks = callbacksBySignal.get(signal);
  if (callbacks === undefined) {
    callbacks = new AbortCallbacks(signal, "platform");
    callbacksBySignal.set(signal, callbacks);
  }
  return callbacks.add(callback);
}

/** A signal that can be aborted by itself and also aborts with its parent. Dispose of it to detach it from the parent. */
export interface ChildSignal extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

export function childSignal(parent: AbortSignal): ChildSignal {
  const controller = new OnAbortController();
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

/** The abort reason of a signal whose timeout expired. */
export class TimeoutError extends KubeloopError {
  constructor(what: string, afterMs: number) {
    super(`${what} timed out after ${afterMs} ms`, { reason: "Timeout" });
  }
}

export interface TimeoutOptions {
  readonly clock: Clock;
  /** What timed out, for the error: "the list", "releasing the lease". Pass a function if the name is costly to build. */
  readonly what: string | (() => string);
  /** The milliseconds named in the error, if part of them had passed before. Default: `afterMs`. */
  readonly outOfMs?: number;
}

/** A child signal that also aborts, with a TimeoutError, after `afterMs`. Dispose of it to cancel the timer and detach it from the parent. */
export function timeoutSignal(parent: AbortSignal, afterMs: number, options: TimeoutOptions): ChildSignal {
  return parent.aborted ? childSignal(parent) : new TimeoutSignal(parent, afterMs, options);
}

class TimeoutSignal implements ChildSignal {
  readonly #controller = new OnAbortController();
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

  /** An arrow function, so that it can be used without the object. */
  readonly abort = (reason?: unknown): void => {
    this[Symbol.dispose]();
    this.#controller.abort(reason);
  };

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#parent[Symbol.dispose]();
  }
}

/** Settles as `work` does, or rejects with the signal's reason, whichever comes first. `work` itself is not stopped. */
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
