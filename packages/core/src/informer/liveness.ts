// How an informer is doing, as plain data: what health checks, waiters and people look at.

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
  /** Wall time since when it has been trying without a finished list or an open watch; undefined while all is well. */
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
