// Tells whether the calling code was called, directly or later, by a certain callback: a callback that waits for its own end would
// wait for ever. Everything that a callback starts inherits its context, through awaits, timers and emitters.
//
// Each call has its own context: work that an earlier call left running is not inside a later one.
//
// Before Node 24, a process pays for contexts with every promise (events take half as long again to reach controllers), as long as they are
// switched on. So there they are switched off after each turn, until a callback has returned a promise for the first time.
import { AsyncLocalStorage } from "node:async_hooks";

const contexts = new AsyncLocalStorage<CallbackContext>();

/** Since Node 24 contexts cost almost nothing. */
const areContextsCheap = Number.parseInt(process.versions.node, 10) >= 24;

let areNeeded = areContextsCheap;

/** A callback has returned a promise: from now on contexts stay on, because they have to follow it. */
export function keepContexts(): void {
  areNeeded = true;
}

/** Called after synchronous callbacks: switches contexts off if nobody needs them. The next `run` switches them on again. */
export function releaseContexts(): void {
  if (!areNeeded) contexts.disable();
}

export class CallbackContext {
  /** Calls the function inside this context, and returns what it returns. */
  run<Parameters extends unknown[], Result>(
    call: (...parameters: Parameters) => Result,
    ...parameters: Parameters
  ): Result {
    return contexts.run(this, call, ...parameters);
  }

  /** Whether the caller is inside this context. */
  isAround(): boolean {
    return contexts.getStore() === this;
  }
}
