// Settles by a consistent live read what nobody knows, and what a cache has not shown for too long: the answer is what the cache
// must show, or that there is nothing to wait for.
//
// Never settled by believing the cache: as long as it holds what the server no longer has, it is waited for.
import { controllerOf, type KubernetesObject, keyOf, splitKey } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import { type CacheScope, coversNamespace } from "./cache-scope.ts";
import type { LiveReader } from "./live-reader.ts";
import { type Expected, type LostWrite, removedFrom, type SightedCache } from "./sightings.ts";

export interface ScopedCache extends SightedCache {
  readonly scope: CacheScope;
  /** Whether it still follows the server: one that was stopped shows nothing new. */
  isFollowing(): boolean;
}

export async function settleWrite(
  expected: Expected,
  cache: ScopedCache,
  reader: Pick<LiveReader, "get" | "list">,
  signal: AbortSignal,
): Promise<readonly Expected[]> {
  const { resource } = expected;
  if (expected.key === undefined) return await settleGenerated(expected, reader, signal);
  const { key } = expected;
  const live = await readInScope(expected, key, cache.scope, reader, signal);
  if (live === undefined) return removedFrom(cache, resource, key);
  const { uid, resourceVersion: version = "", deletionTimestamp } = live.metadata;
  switch (expected.kind) {
    case "lost":
      return [{ kind: "written", resource, key, version }];
    case "written":
      return [expected];
    case "removed":
      // Still there and not on its way out: it was not removed after all, or made anew.
      return uid === expected.uid && deletionTimestamp !== undefined
        ? [expected]
        : [{ kind: "written", resource, key, version }];
    default:
      return assertNever(expected);
  }
}

/** All of its owner's: which of them was the lost one does not matter, the cache has to show them all. */
async function settleGenerated(
  lost: Extract<LostWrite, { readonly key: undefined }>,
  reader: Pick<LiveReader, "get" | "list">,
  signal: AbortSignal,
): Promise<readonly Expected[]> {
  const { resource, namespace, ownerUid, generateName } = lost;
  const { items } = await reader.list(resource, { namespace, view: "metadata" }, signal);
  const isIts = (object: KubernetesObject) =>
    ownerUid === undefined ? object.metadata.generateName === generateName : controllerOf(object)?.uid === ownerUid;
  return items.filter(isIts).map((object) => ({
    kind: "written",
    resource,
    key: keyOf(object),
    version: object.metadata.resourceVersion ?? "",
  }));
}

/** As the cache's watch would show it; undefined for what is gone, or none of its business. */
async function readInScope(
  { resource }: Expected,
  key: string,
  scope: CacheScope,
  reader: Pick<LiveReader, "get" | "list">,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const { namespace, name } = splitKey(key);
  if (!coversNamespace(scope, namespace)) return undefined;
  const { labelSelector, fieldSelector } = scope;
  if (labelSelector === undefined && fieldSelector === undefined) {
    return await reader.get(resource, key, "metadata", signal);
  }
  const byName = `metadata.name=${name}`;
  const fields = fieldSelector === undefined ? byName : `${fieldSelector},${byName}`;
  const query = { namespace, labelSelector, fieldSelector: fields, view: "metadata" } as const;
  return (await reader.list(resource, query, signal)).items[0];
}
