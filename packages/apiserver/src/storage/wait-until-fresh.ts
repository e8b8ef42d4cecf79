// A read at a revision that the storage has not reached yet waits for it, as kube-apiserver's watch cache does: the read goes on as soon as the
// revision is there, and gives up after three seconds.
import { type Clock, timeoutSignal } from "@kubeloop/core/base";
import type { EventLog } from "./storage.ts";

/** The `blockTimeout` of upstream's watch cache. */
const blockTimeoutMs = 3_000;

export interface FreshnessOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Returns whether the revision was reached in time. Rejects when the signal aborts or the storage closes. */
export async function waitUntilFresh(
  log: EventLog,
  revision: number,
  { clock, signal }: FreshnessOptions,
): Promise<boolean> {
  if (revision <= log.revision) return true;
  const labelled = clock.labelled({ kind: "work", name: "waiting for a resource version" });
  using limit = timeoutSignal(signal, blockTimeoutMs, { clock: labelled, what: "the resource version" });
  try {
    await log.reached(revision, limit.signal);
    return true;
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    return false;
  }
}
