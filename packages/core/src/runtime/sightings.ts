// What a cache must show before a key may be observed again, as pure data and rules.
//
// - `written`: this version of the object. It is enough that the resourceVersion of the cache has reached it: an object that
//   the watch's selector excludes never appears in the cache.
// - `removed`: without the object of this uid; where the server only marked it, terminating is enough. An object created anew under the
//   name has another uid.
// - `lost`: nobody knows whether the write was carried out. Only a live read can tell, and turns it into the others.
// What a watch cannot show, because of its namespace or its labels, is not expected at all: see expected-writes.ts.
//
// Promise: what is sighted once stays sighted, as long as a cache never goes back to an older version. Versions only grow, a uid that
// is gone does not come back, and a deletionTimestamp is never taken off. Absence alone proves nothing about an object that the
// cache has never had, so for those `removed` has a version to reach. Only a list after a restore from a backup takes a cache back.
import { compareResourceVersions, isResourceVersion, type KubernetesObject, type Resource } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { CacheScope } from "./cache-scope.ts";

export type Expected = WrittenObject | RemovedObject | LostWrite;

export interface WrittenObject {
  readonly kind: "written";
  readonly resource: Resource;
  readonly key: string;
  readonly version: string;
  /** Whether this version is the key's own doing; false where a live read found what somebody else has written. */
  readonly isOwn: boolean;
}

export interface RemovedObject {
  readonly kind: "removed";
  readonly resource: Resource;
  readonly key: string;
  readonly uid: string;
  readonly removal: Removal;
  /** The object's version in the server's answer, or the last one known before; the cache shows the removal no earlier. */
  readonly version: string | undefined;
  /** Whether the cache had the object when it was removed: if not, its absence says nothing. */
  readonly wasCached: boolean;
}

/** What the server did to the object. */
export type Removal =
  /** It removed it at once. */
  | "gone"
  /** It set a deletionTimestamp: finalizers or the grace period hold it. */
  | "marked"
  /** One of these: the answer does not say (an eviction, a collection). */
  | "gone or marked"
  /** Nothing: the object was gone before, by somebody else's doing as far as anybody knows. */
  | "found gone";

export type LostWrite = LostNamed | LostGenerated;

export interface LostNamed {
  readonly kind: "lost";
  readonly resource: Resource;
  readonly key: string;
}

/** The server chose the name: found by its controller, or else by its generateName. */
export interface LostGenerated {
  readonly kind: "lost";
  readonly resource: Resource;
  readonly key: undefined;
  readonly namespace: string;
  readonly ownerUid: string | undefined;
  readonly generateName: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function isGenerated(expected: Expected): expected is LostGenerated {
  return expected.key === undefined;
}

/** What is looked at of a cache. */
export interface SightedCache {
  /** All there is, unless given. */
  readonly scope?: CacheScope;
  readonly resourceVersion: string;
  getByKey(key: string): KubernetesObject | undefined;
  list(): readonly KubernetesObject[];
}

export function isSighted(expected: Expected, cache: SightedCache): boolean {
  switch (expected.kind) {
    case "lost":
      return false;
    case "written":
      return hasPassed(cache, cache.getByKey(expected.key), expected.version);
    case "removed":
      return isRemovalSighted(expected, cache);
    default:
      return assertNever(expected);
  }
}

function isRemovalSighted({ key, uid, removal, version, wasCached }: RemovedObject, cache: SightedCache): boolean {
  const cached = cache.getByKey(key);
  if (cached?.metadata.uid === uid) {
    const canStay = removal === "marked" || removal === "gone or marked";
    return canStay && cached?.metadata.deletionTimestamp !== undefined;
  }
  return wasCached || version === undefined || hasPassed(cache, cached, version);
}

function hasPassed(cache: SightedCache, cached: KubernetesObject | undefined, version: string): boolean {
  return hasReached(cached?.metadata.resourceVersion, version) || hasReached(cache.resourceVersion, version);
}

/** Versions that cannot be compared never hold anything up. */
function hasReached(version: string | undefined, wanted: string): boolean {
  if (!isResourceVersion(wanted)) return true;
  if (version === undefined || version === "") return false;
  return !isResourceVersion(version) || compareResourceVersions(version, wanted) >= 0;
}

/** What the cache holds of an object that the server does not have; nothing if it holds none. */
export function foundGone(cache: SightedCache, resource: Resource, key: string): readonly RemovedObject[] {
  const uid = cache.getByKey(key)?.metadata.uid;
  if (uid === undefined) return [];
  return [{ kind: "removed", resource, key, uid, removal: "found gone", version: undefined, wasCached: true }];
}

/** The cache has not shown the object yet, and nothing says how far it must get: its absence would count at once. */
export function lacksVersion(expected: Expected): expected is RemovedObject {
  return expected.kind === "removed" && !expected.wasCached && expected.version === undefined;
}

/**
 * A removal that lacks a version, knowing what the same key wrote to the object before: the cache must have got as far as that, or the
 * object would be taken for gone before it has come.
 */
export function afterEarlier(removed: RemovedObject, earlier: readonly Expected[]): RemovedObject {
  const versions = earlier.flatMap((each) => (each.kind === "written" ? [each.version] : [])).filter(isResourceVersion);
  return { ...removed, version: versions.toSorted(compareResourceVersions).at(-1) };
}
