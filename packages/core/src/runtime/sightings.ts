// What a cache must show before a key may be observed again, as pure data and rules. A write is "sighted" when its cache shows it.
//
// - `written`: the cache has this version of the object or a later one. It is also enough that the resourceVersion of the cache has reached
//   this version, because an object that the watch's selector excludes never appears in the cache.
// - `removed`: the cache does not have the object with this uid; if the server only set a deletionTimestamp, a terminating object is enough.
//   An object that was created again with the same name has another uid.
// - `lost`: it is unknown whether the server executed the write. Only a live read can find out; its result replaces `lost` by the others.
// A write that a watch cannot show, because of its namespace or its labels, is not expected at all: see expected-writes.ts.
//
// Promise: what is sighted once stays sighted, as long as the cache never goes back to an older version. Versions only grow, a removed uid
// does not come back, and a deletionTimestamp is never removed. The absence of an object that the cache has never had proves nothing, so
// `removed` has a version to reach for such objects. Only a list after a restore of etcd from a backup moves a cache back.
import { compareResourceVersions, isResourceVersion, type KubernetesObject, type Resource } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { CacheScope } from "./cache-scope.ts";

export type Expected = WrittenObject | RemovedObject | LostWrite;

export interface WrittenObject {
  readonly kind: "written";
  readonly resource: Resource;
  readonly key: string;
  readonly version: string;
  /** Whether the key itself wrote this version; false if a live read found what somebody else has written. */
  readonly isOwn: boolean;
}

export interface RemovedObject {
  readonly kind: "removed";
  readonly resource: Resource;
  readonly key: string;
  readonly uid: string;
  readonly removal: Removal;
  /** The object's version in the server's answer, or the last one known before. The cache cannot show the removal before it has this version. */
  readonly version: string | undefined;
  /** Whether the cache had the object when it was removed. If not, the object's absence from the cache proves nothing. */
  readonly wasCached: boolean;
}

/** What the server did to the object. */
export type Removal =
  /** The server removed it immediately. */
  | "gone"
  /** The server set a deletionTimestamp, because the object has finalizers or a grace period. */
  | "marked"
  /** One of these two: the answer does not say which (an eviction, a deletecollection). */
  | "gone or marked"
  /** Nothing: the object did not exist any more, as far as is known because somebody else removed it. */
  | "found gone";

export type LostWrite = LostNamed | LostGenerated;

export interface LostNamed {
  readonly kind: "lost";
  readonly resource: Resource;
  readonly key: string;
}

/** A lost create whose name the server generates. The object is looked up by its controller owner, or else by its generateName. */
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

/** The part of a cache that these rules read. */
export interface SightedCache {
  /** All objects of the resource, unless given. */
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

/** Versions that cannot be compared count as reached, so that they never block a key. */
function hasReached(version: string | undefined, wanted: string): boolean {
  if (!isResourceVersion(wanted)) return true;
  if (version === undefined || version === "") return false;
  return !isResourceVersion(version) || compareResourceVersions(version, wanted) >= 0;
}

/** Returns the removal that the cache must show for an object that the server does not have; nothing if the cache does not have it either. */
export function foundGone(cache: SightedCache, resource: Resource, key: string): readonly RemovedObject[] {
  const uid = cache.getByKey(key)?.metadata.uid;
  if (uid === undefined) return [];
  return [{ kind: "removed", resource, key, uid, removal: "found gone", version: undefined, wasCached: true }];
}

/** Returns whether the cache did not have the removed object, and no version to reach is known: its absence would count immediately. */
export function lacksVersion(expected: Expected): expected is RemovedObject {
  return expected.kind === "removed" && !expected.wasCached && expected.version === undefined;
}

/**
 * Adds to a removal without a version the latest version that the same key wrote to the object before. The cache must reach that version, or
 * the object would count as removed before the cache has received it.
 */
export function afterEarlier(removed: RemovedObject, earlier: readonly Expected[]): RemovedObject {
  const versions = earlier.flatMap((each) => (each.kind === "written" ? [each.version] : [])).filter(isResourceVersion);
  return { ...removed, version: versions.toSorted(compareResourceVersions).at(-1) };
}
