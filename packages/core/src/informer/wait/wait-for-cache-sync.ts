// Waits until caches or handlers have synced. They notify when they have; only plain functions, which
// cannot notify, are polled.
//
// Waiting ends when all have synced, when the signal aborts, or as soon as one of them never will because it was stopped.
// One that has synced counts even if the signal aborted first.
import { type Clock, childSignal, defaultLog, type Log, noLog, systemClock, toError } from "../../base/index.ts";
import { explainFailure } from "./explain-failure.ts";
import { toSyncing } from "./polled-sync.ts";
import { type CacheSync, SyncResult } from "./sync-result.ts";
import type { Synced, Syncing } from "./syncing.ts";

export interface WaitForOptions {
  /** Whose caches these are, for logs and errors; nothing is logged without it. */
  readonly what?: string;
  readonly log?: Log;
  /** For functions, which are polled every 100 ms. */
  readonly clock?: Clock;
}

/** Waits for all of them; never rejects. */
export async function waitFor(
  synced: readonly Synced[],
  options: WaitForOptions,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { what, log: given = defaultLog, clock = systemClock } = options;
  const checkers = synced.map((each) => (typeof each === "function" ? toSyncing(each, clock) : each));
  const log = what === undefined ? noLog : given.with({ for: what });
  log.info("waiting");
  using anyFailed = childSignal(signal);
  const failures = await Promise.all(
    checkers.map(async (checker) => {
      try {
        await checker.whenSynced(anyFailed.signal);
      } catch (error) {
        if (!checker.hasSynced()) {
          const isItsOwn = !anyFailed.signal.aborted;
          anyFailed.abort(error);
          return isItsOwn ? error : undefined;
        }
      }
      log.info("done waiting", { instance: checker.name });
      return undefined;
    }),
  );
  const result = new SyncResult(
    checkers.map((checker, i) => toCacheSync(checker, failures[i])),
    anyFailed.signal.reason,
  );
  if (!result.isSynced) {
    const instances = result.unsynced.map(({ name }) => name).toSorted();
    log.warn("gave up waiting", { cause: toError(result.cause).message, instances });
  }
  return result;
}

/** Resolves to true if all have synced; to false if the signal aborted first, or one was stopped. */
export async function waitForCacheSync(signal: AbortSignal, ...synced: readonly Synced[]): Promise<boolean> {
  const { isSynced } = await waitFor(synced, {}, signal);
  return isSynced;
}

/** Throws a CacheSyncError if the signal aborts first, or one is stopped. `name` is the owner of the caches. */
export async function waitForNamedCacheSync(
  name: string,
  signal: AbortSignal,
  ...synced: readonly Synced[]
): Promise<void> {
  const result = await waitFor(synced, {}, signal);
  const error = result.asError(name);
  if (error !== undefined) throw error;
}

function toCacheSync(checker: Syncing, ownFailure: unknown): CacheSync {
  const { name, status } = checker;
  const isSynced = checker.hasSynced();
  const failure = ownFailure === undefined ? status?.lastFailure?.error : toError(ownFailure);
  const why = isSynced || failure === undefined ? undefined : explainFailure(failure);
  return { name, isSynced, sinceMs: status?.startedMs, why };
}
