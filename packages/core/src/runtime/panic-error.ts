// A fault in the code of a controller, not in the world: what a Go program would panic with. It is recovered, counted and tried again
// like any failure.
import { KubeloopError, toError } from "../base/index.ts";

export class PanicError extends KubeloopError {
  constructor(where: string, cause: unknown) {
    super(`panic in ${where}: ${toError(cause).message} [recovered]`, { reason: "Panic", cause });
  }
}

/**
 * What nobody throws on purpose: things that are no errors, and those the engine itself makes. Libraries throw TypeErrors for the
 * world's faults, too ("fetch failed"); theirs have a cause.
 */
export function isPanic(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  const isEngines = thrown instanceof TypeError || thrown instanceof ReferenceError || thrown instanceof RangeError;
  return isEngines && thrown.cause === undefined && !("code" in thrown);
}
