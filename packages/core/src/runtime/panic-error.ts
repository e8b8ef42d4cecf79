// An error caused by a bug in the controller's code, where a Go program would panic; not by the server or the network. The driver recovers,
// counts it as a panic, and retries the key like after any failure.
import { KubeloopError, toError } from "../base/index.ts";

export class PanicError extends KubeloopError {
  constructor(where: string, cause: unknown) {
    super(`panic in ${where}: ${toError(cause).message} [recovered]`, { reason: "Panic", cause });
  }
}

/**
 * Returns whether the thrown value looks like a bug: a value that is not an Error, or an error that the JavaScript engine creates. Libraries
 * also throw TypeErrors for failures of the network ("fetch failed"), but those have a cause.
 */
export function isPanic(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  const isEngines = thrown instanceof TypeError || thrown instanceof ReferenceError || thrown instanceof RangeError;
  return isEngines && thrown.cause === undefined && !("code" in thrown);
}
