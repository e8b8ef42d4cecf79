// Tells whether the code that asks was called, directly or later, by a certain callback: one that waits for its own end would
// wait for ever. Everything that a callback starts carries its context along, through awaits, timers and emitters.
//
// Each call is a context of its own: what an earlier call has left running is not inside a later one.
//
// Before Node 24, a process that uses contexts pays for it with every promise (events reach controllers half as slow again), so
// there they are opened only for handlers that are known to return promises.
import { AsyncLocalStorage } from "node:async_hooks";

const contexts = new AsyncLocalStorage<CallbackContext>();

/** Since Node 24 contexts cost next to nothing. */
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

  /** Whether the caller is inside. */
  isAround(): boolean {
    return contexts.getStore() === this;
  }
}
