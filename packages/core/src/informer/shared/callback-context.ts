// Tells whether the calling code was called, directly or later, by a certain callback: a callback that waits for its own end would
// wait for ever. Everything that a callback starts inherits its context, through awaits, timers and emitters.
//
// Each call has its own context: work that an earlier call left running is not inside a later one.
//
// Before Node 24, a process that uses contexts pays for it with every promise (events take half as long again to reach controllers). So
// there they are used only for handlers that are known to return promises.
import { AsyncLocalStorage } from "node:async_hooks";

const contexts = new AsyncLocalStorage<CallbackContext>();

/** Since Node 24 contexts cost almost nothing. */
export const areContextsCheap = Number.parseInt(process.versions.node, 10) >= 24;

export function isAsyncFunction(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object AsyncFunction]";
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
