// Tells whether the code that asks was called, directly or later, by a certain callback: one that waits for its own end would
// wait for ever. Everything that a callback starts carries its context along, through awaits, timers and emitters.
//
// Each call is a context of its own: what an earlier call has left running is not inside a later one.
import { AsyncLocalStorage } from "node:async_hooks";

const contexts = new AsyncLocalStorage<CallbackContext>();

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
