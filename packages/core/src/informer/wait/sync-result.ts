// How waiting for caches ended: which of them synced, and of the others, since when they try and why they get nowhere.
import { KubeloopError, toError } from "../../base/index.ts";

export interface CacheSync {
  readonly name: string;
  readonly isSynced: boolean;
  /** Wall time of its start. Undefined when it was not started, or does not say. */
  readonly sinceMs: number | undefined;
  /** What keeps it from syncing, in words. Undefined when it synced, or nothing is known. */
  readonly why: string | undefined;
}

export class SyncResult {
  readonly caches: readonly CacheSync[];
  /** Why waiting ended before all had synced: the signal's reason, unless a cache can never sync. */
  readonly cause: unknown;

  constructor(caches: readonly CacheSync[], cause?: unknown) {
    this.caches = caches;
    this.cause = cause;
  }

  get isSynced(): boolean {
    return this.caches.every(({ isSynced }) => isSynced);
  }

  get unsynced(): readonly CacheSync[] {
    return this.caches.filter(({ isSynced }) => !isSynced);
  }

  /** Undefined when all synced. `what` is whose caches they are. */
  asError(what = ""): CacheSyncError | undefined {
    return this.isSynced ? undefined : new CacheSyncError(what, this.unsynced, this.cause);
  }
}

/** Says which caches did not sync, since when and why. */
export class CacheSyncError extends KubeloopError {
  readonly unsynced: readonly CacheSync[];

  constructor(what: string, unsynced: readonly CacheSync[], cause: unknown) {
    const whose = what === "" ? "all caches" : `all caches of ${what}`;
    const names = unsynced.map(printCache).toSorted().join("; ");
    super(`failed to sync ${whose}: ${names}${cause === undefined ? "" : ` (${toError(cause).message})`}`, {
      reason: "CacheSync",
      cause,
    });
    this.unsynced = unsynced;
  }
}

function printCache({ name, sinceMs, why }: CacheSync): string {
  const since = sinceMs === undefined ? "" : ` (since ${new Date(sinceMs).toISOString()})`;
  return `${name}${since}${why === undefined ? "" : `: ${why}`}`;
}
