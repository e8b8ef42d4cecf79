// How an informer is doing, as plain data: what health checks, waiters and people look at.
//
// Ages are measured by monotonic time. The wall times here are counted back from the present one when the status is asked for,
// so that `clock.now()` minus one of them is the true age even if the wall clock has been set meanwhile.
import type { Clock } from "../base/index.ts";

export interface InformerFailure {
  readonly error: Error;
  /** Wall time. */
  readonly atMs: number;
}

export interface ReflectorStatus {
  /** What it is doing now; `waiting` is for the back-off after a failure. */
  readonly phase: "idle" | "listing" | "watching" | "waiting" | "stopped";
  /** Wall time of the last event, bookmark or finished list. */
  readonly lastContactMs: number | undefined;
  /** Wall time since when it has not been able to list, or to keep a watch open; undefined while all is well. */
  readonly failingSinceMs: number | undefined;
  readonly resourceVersion: string;
  readonly lists: number;
  readonly watches: number;
  /** Failures of any kind. */
  readonly errors: number;
  readonly lastFailure: InformerFailure | undefined;
}

export interface InformerStatus extends ReflectorStatus {
  readonly name: string;
  readonly hasSynced: boolean;
  /** Objects in the cache. */
  readonly size: number;
  /**
   * Changes that wait to be put into the cache, or are in it and still to be passed on to the handlers' own queues. A list
   * that waits is one change; while it is compared with the cache in slices, each object that is still to be compared is one.
   */
  readonly queued: number;
  /** Wall time of the call of `run`. */
  readonly startedMs: number | undefined;
}

/** The wall time of a monotonic one, by the wall clock as it is now. Rounded up: never earlier than what the wall clock said then. */
export function wallTimeOf(monotonicMs: number | undefined, clock: Clock): number | undefined {
  return monotonicMs === undefined ? undefined : Math.ceil(clock.now() - (clock.monotonic() - monotonicMs));
}
