// Determines the start of a watch from its options: after a resourceVersion, if the cache still has all later changes, or with all current
// objects.
import { newExpired } from "../../api/index.ts";
import { freshnessLimitMs, type ServerBehaviour } from "./behaviour.ts";
import { newTooLarge } from "./list-objects.ts";
import type { WatchStart } from "./open-watch.ts";
import { forbidOption, type ReadOptions } from "./read-options.ts";
import type { Storage } from "./storage.ts";
import type { WatchCache } from "./watch-cache.ts";

export interface WatchSources {
  readonly storage: Storage;
  readonly cache: WatchCache;
  readonly behaviour: ServerBehaviour;
  /** The timeout of a watch without `timeoutSeconds`. */
  readonly timeoutMs: number;
}

/** Throws the error with which the server refuses the watch. */
export async function startOfWatch(
  collection: string,
  options: ReadOptions,
  { storage, cache, behaviour, timeoutMs }: WatchSources,
  signal: AbortSignal,
): Promise<WatchStart> {
  checkOptions(options, behaviour);
  const { resourceVersion } = options;
  const limits = {
    timeoutMs: options.timeoutSeconds === undefined ? timeoutMs : options.timeoutSeconds * 1000,
    bookmarkMs: options.allowBookmarks ? behaviour.bookmarkMs : undefined,
  };
  const isStreamedList = options.sendInitialEvents === true && behaviour.watchList === "supported";
  const isFromNow = resourceVersion === "" || resourceVersion === "0";
  if (isStreamedList) {
    const wanted = resourceVersion === "" ? storage.revision : Number(resourceVersion);
    if (!(await cache.reached(wanted, freshnessLimitMs, signal))) throw newTooLarge(wanted, cache.revision);
  } else if (!isFromNow) {
    const revision = Number(resourceVersion);
    if (cache.changesAfter(revision) === undefined) {
      throw newExpired(`too old resource version: ${revision} (${cache.revision})`);
    }
    return { revision, initial: undefined, initialEndAfterMs: undefined, ...limits };
  }
  // A server that is too old to know `sendInitialEvents` does not send the bookmark at the end of the initial events either.
  const tellsEnd = options.allowBookmarks && behaviour.watchList !== "ignored";
  return {
    revision: cache.revision,
    initial: options.sendInitialEvents === false ? undefined : cache.list(collection),
    initialEndAfterMs: tellsEnd ? behaviour.initialEndAfterMs : undefined,
    ...limits,
  };
}

function checkOptions({ sendInitialEvents, match }: ReadOptions, { watchList }: ServerBehaviour): void {
  if (watchList === "ignored") return;
  if (sendInitialEvents !== undefined && watchList === "refused") {
    const detail = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    throw forbidOption("sendInitialEvents", detail);
  }
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    throw forbidOption("resourceVersionMatch", detail);
  }
  if (sendInitialEvents === undefined && match !== "") {
    throw forbidOption(
      "resourceVersionMatch",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  }
}
