// Where a watch begins, told from what it asks for: after a version, if what happened since is still known, or with all that
// is there.
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
  /** For a watch that does not say. */
  readonly timeoutMs: number;
}

/** Throws what the watch is to be refused with. */
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
  // A server that is too old to know of initial events does not know how to end them either.
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
