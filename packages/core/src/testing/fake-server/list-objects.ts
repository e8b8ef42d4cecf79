// Answers a list request. A list that needs only a state not older than a version is read from the watch cache. A list that needs the newest
// or an exact state is read from the storage. If a limit applies, all pages are read at one revision.
import { type KubernetesObject, keyOf, newBadRequest, newTooLargeResourceVersion } from "../../api/index.ts";
import type { ListAnswer } from "./answers.ts";
import { freshnessLimitMs } from "./behaviour.ts";
import { forbidOption, type ReadOptions } from "./read-options.ts";
import type { Storage } from "./storage.ts";
import type { WatchCache } from "./watch-cache.ts";

export interface ListSources {
  readonly storage: Storage;
  readonly cache: WatchCache;
  readonly hasCache: boolean;
}

export async function listObjects(
  collection: string,
  options: ReadOptions,
  { storage, cache, hasCache }: ListSources,
  signal: AbortSignal,
): Promise<ListAnswer> {
  checkOptions(options);
  const { resourceVersion, match, limit, matches } = options;
  const wanted = Number(resourceVersion);
  if (options.continue !== "") {
    const { revision, after } = parseContinue(options.continue);
    return toPage(storage.listAt(collection, revision).filter(matches), { revision, limit, after });
  }
  // With a limit and without resourceVersionMatch, a version is exact. This was the behaviour before resourceVersionMatch existed.
  const isExact = match === "Exact" || (match === "" && limit > 0 && wanted > 0);
  // The cache has no pages. So at "0" a limit is ignored, and at a version a list with a limit is read from the storage.
  const isFromStorage = isExact || resourceVersion === "" || !hasCache || (limit > 0 && wanted > 0);
  if (isFromStorage) {
    if (wanted > storage.revision) throw newTooLarge(wanted, storage.revision);
    const revision = isExact ? wanted : storage.revision;
    return toPage(storage.listAt(collection, revision).filter(matches), { revision, limit, after: "" });
  }
  if (!(await cache.reached(wanted, freshnessLimitMs, signal))) throw newTooLarge(wanted, cache.revision);
  return { items: cache.list(collection).filter(matches), revision: cache.revision };
}

export function newTooLarge(wanted: number, reached: number): Error {
  return newTooLargeResourceVersion(String(wanted), String(reached), { retryAfterSeconds: 1 });
}

function checkOptions({ resourceVersion, match, sendInitialEvents, continue: token }: ReadOptions): void {
  if (sendInitialEvents !== undefined)
    throw forbidOption("sendInitialEvents", "sendInitialEvents is forbidden for list");
  if (match !== "" && token !== "") {
    throw forbidOption("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  }
  if (match !== "" && resourceVersion === "") {
    throw forbidOption("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (match === "Exact" && resourceVersion === "0") {
    throw forbidOption("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (token !== "" && resourceVersion !== "" && resourceVersion !== "0") {
    throw newBadRequest("specifying resource version is not allowed when using continue");
  }
}

interface PagePlace {
  readonly revision: number;
  /** 0 for no limit. */
  readonly limit: number;
  /** The last key of the previous page. */
  readonly after: string;
}

function toPage(all: readonly KubernetesObject[], { revision, limit, after }: PagePlace): ListAnswer {
  const rest = after === "" ? all : all.filter((object) => keyOf(object) > after);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items.at(-1);
  const remaining = rest.length - items.length;
  if (remaining === 0 || last === undefined) return { items, revision };
  return { items, revision, continue: printContinue(revision, keyOf(last)), remaining };
}

function printContinue(revision: number, last: string): string {
  const token = { v: "meta.k8s.io/v1", rv: revision, start: `${last}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

function parseContinue(text: string): { readonly revision: number; readonly after: string } {
  try {
    const token = JSON.parse(Buffer.from(text, "base64url").toString()) as {
      readonly rv: number;
      readonly start: string;
    };
    return { revision: token.rv, after: token.start.slice(0, -1) };
  } catch {
    throw newBadRequest("continue key is not valid");
  }
}
