// Waits until caches, or handlers, have been told everything there was. Nobody polls: each says when it is there.
//
// Waiting ends when all have synced, when the signal aborts, or as soon as one of them never will because it was stopped.
// One that has synced counts even if the signal aborted first.
import { childSignal, type Log, noLog, toError } from "../../base/index.ts";
import type { InformerStatus } from "../liveness.ts";
import { explainFailure } from "./explain-failure.ts";
import { type CacheSync, SyncResult } from "./sync-result.ts";

/** An informer, a handler's registration, a controller; or anything else that says when it is ready. */
export interface Syncing {
  readonly name: string;
  hasSynced(): boolean;
  /** Rejects when it never will, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  readonly status?: InformerStatus;
}

export interface WaitForOptions {
  /** What it is all for, in logs and errors; nothing is logged without it. */
  readonly what?: string;
  readonly log?: Log;
}

/** Waits for all of them; never rejects. */
export async function waitFor(
  checkers: readonly Syncing[],
  options: WaitForOptions,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { what, log: given = noLog } = options;
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

/** True when all have synced; false when the signal aborted first, or one was stopped. */
export async function waitForCacheSync(signal: AbortSignal, ...informers: readonly Syncing[]): Promise<boolean> {
  const { isSynced } = await waitFor(informers, {}, signal);
  return isSynced;
}

/** Throws a CacheSyncError when the signal aborts first, or one is stopped. `name` is whose caches they are. */
export async function waitForNamedCacheSync(
  name: string,
  signal: AbortSignal,
  ...informers: readonly Syncing[]
): Promise<void> {
  const result = await waitFor(informers, {}, signal);
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
