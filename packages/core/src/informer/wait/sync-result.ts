// The result of waiting for caches: which of them synced, and for the others since when they have tried and why they failed.
import { KubeloopError, toError } from "../../base/index.ts";

export interface CacheSync {
  readonly name: string;
  readonly isSynced: boolean;
  /** Wall time of its start. Undefined if it was not started or is not known. */
  readonly sinceMs: number | undefined;
  /** Why it has not synced, for people. Undefined if it synced, or no reason is known. */
  readonly why: string | undefined;
}

export class SyncResult {
  readonly caches: readonly CacheSync[];
  /** Why the wait ended before all had synced: the signal's reason, or why a cache can never sync. */
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

  /** Returns undefined if all synced. `what` names the owner of the caches. */
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
