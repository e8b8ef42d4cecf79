// The status of an informer, as plain data: for health checks, waiters and people.
//
// Ages are measured by monotonic time. The wall times are computed back from the current wall time when the status is read,
// so that `clock.now()` minus one of them is the true age even if the wall clock was changed meanwhile.
import type { Clock } from "../base/index.ts";
import type { AnswerEncoding } from "../client/index.ts";

export interface InformerFailure {
  readonly error: Error;
  /** Wall time. */
  readonly atMs: number;
}

export interface ReflectorStatus {
  /** What the reflector is doing now; `waiting` is the backoff after a failure. */
  readonly phase: "idle" | "listing" | "watching" | "waiting" | "stopped";
  /** Wall time of the last event, bookmark or finished list. */
  readonly lastContactMs: number | undefined;
  /** Wall time since when it could not list or keep a watch open; undefined while it works. */
  readonly failingSinceMs: number | undefined;
  readonly resourceVersion: string;
  readonly lists: number;
  readonly watches: number;
  /** The number of failures of any kind. */
  readonly errors: number;
  readonly lastFailure: InformerFailure | undefined;
  /** In which encoding the last list arrived; undefined before the first, and if the source does not say. */
  readonly listEncoding: AnswerEncoding | undefined;
  /** The same of the last watch. A streamed list is both. */
  readonly watchEncoding: AnswerEncoding | undefined;
}

export interface InformerStatus extends ReflectorStatus {
  readonly name: string;
  readonly hasSynced: boolean;
  /** The number of objects in the cache. */
  readonly size: number;
  /**
   * Changes that wait to be applied to the cache, or are applied and not yet in the handlers' queues. A waiting list counts as
   * one change; while a list is compared with the cache in slices, each object that is not yet compared counts as one.
   */
  readonly queued: number;
  /** Wall time when `run` was called. */
  readonly startedMs: number | undefined;
}

/** Converts a monotonic time to wall time, by the current wall clock. Rounded up: never earlier than the wall clock was then. */
export function wallTimeOf(monotonicMs: number | undefined, clock: Clock): number | undefined {
  return monotonicMs === undefined ? undefined : Math.ceil(clock.now() - (clock.monotonic() - monotonicMs));
}
