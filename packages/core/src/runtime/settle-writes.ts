// Derives from a consistent live read what the cache must show for a write whose answer was lost, or that a cache has not shown for too long;
// or that there is nothing to wait for. Also builds the queries of these reads. Pure; settling-reads.ts sends the requests.
//
// - A write is never settled by the content of the cache: while the cache has an object that the server no longer has, the key waits until
//   the cache has removed it.
// - Creates with generated names are settled by a list, and the cache must show all children of the owner: which of them was the lost one
//   does not matter. The list is limited to the labels that all the lost objects have in common. So if an admission webhook removes one of
//   these labels, the list does not contain the object.
import {
  controllerOf,
  type KubernetesObject,
  keyOf,
  printSelector,
  selectorFromLabels,
  splitKey,
  validateLabelValue,
  validateQualifiedName,
} from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { CacheScope } from "./cache-scope.ts";
import type { LiveListQuery } from "./live-reader.ts";
import {
  type Expected,
  foundGone,
  type LostGenerated,
  type RemovedObject,
  type SightedCache,
  type WrittenObject,
} from "./sightings.ts";

export interface ScopedCache extends SightedCache {
  readonly scope: CacheScope;
  /** Returns whether the cache still receives events. A cache that was stopped shows nothing new. */
  isFollowing(): boolean;
}

/** `live` is the object that the server has within the cache's scope; undefined if it has none. Returns what the cache must show. */
export function settledBy(
  live: KubernetesObject | undefined,
  expected: Exclude<Expected, LostGenerated>,
  cache: SightedCache,
): readonly Expected[] {
  const { resource, key } = expected;
  const cached = cache.getByKey(key)?.metadata;
  if (live === undefined) {
    const isAwaited = expected.kind === "removed" && cached?.uid === expected.uid;
    return isAwaited ? [expected] : foundGone(cache, resource, key);
  }
  const { resourceVersion: version = "" } = live.metadata;
  switch (expected.kind) {
    case "lost":
      return [{ kind: "written", resource, key, version, isOwn: true }];
    case "written":
      return [expected];
    case "removed":
      return [stillThere(live, expected)];
    default:
      return assertNever(expected);
  }
}

function stillThere({ metadata }: KubernetesObject, expected: RemovedObject): Expected {
  const { uid, deletionTimestamp, resourceVersion: version = "" } = metadata;
  const { resource, key, removal } = expected;
  // The object was not removed, or it was created again.
  if (uid !== expected.uid || deletionTimestamp === undefined) {
    return { kind: "written", resource, key, version, isOwn: false };
  }
  return removal === "marked" ? expected : { ...expected, removal: "gone or marked" };
}

/** The objects of a list, indexed by owner and by generateName, because lost creates are looked up by these. */
export class ListedChildren {
  readonly #byOrigin = new Map<string, KubernetesObject[]>();

  constructor(objects: readonly KubernetesObject[]) {
    for (const object of objects) {
      const { generateName = "" } = object.metadata;
      for (const origin of [`owner ${controllerOf(object)?.uid}`, `name ${generateName}`]) {
        const others = this.#byOrigin.get(origin);
        if (others === undefined) this.#byOrigin.set(origin, [object]);
        else others.push(object);
      }
    }
  }

  of(lost: LostGenerated, cache: SightedCache): readonly WrittenObject[] {
    const { resource } = lost;
    return (this.#byOrigin.get(originOf(lost)) ?? []).map((object) => {
      const key = keyOf(object);
      const version = object.metadata.resourceVersion ?? "";
      // An object that the cache has already was not created by the request whose answer was lost.
      return { kind: "written", resource, key, version, isOwn: cache.getByKey(key) === undefined };
    });
  }
}

/** Two lost creates with the same origin are settled by the same children. */
export function originOf({ ownerUid, generateName }: LostGenerated): string {
  return ownerUid === undefined ? `name ${generateName}` : `owner ${ownerUid}`;
}

/** Returns a query for the objects in a namespace that have these labels and that the cache's watch includes. */
export function listQuery(
  { labelSelector, fieldSelector }: CacheScope,
  namespace: string,
  labels: Readonly<Record<string, string>> = {},
): LiveListQuery {
  const selectors = [labelSelector, printSelector(selectorFromLabels(labels))].filter(Boolean);
  return {
    namespace,
    labelSelector: selectors.length === 0 ? undefined : selectors.join(","),
    fieldSelector,
    view: "metadata",
  };
}

/** Returns a query for one object within the cache's scope. Returns undefined if the scope has no selectors: then a get is enough. */
export function objectQuery(scope: CacheScope, key: string): LiveListQuery | undefined {
  const { labelSelector, fieldSelector } = scope;
  if (labelSelector === undefined && fieldSelector === undefined) return undefined;
  const { namespace, name } = splitKey(key);
  const byName = `metadata.name=${name}`;
  const fields = fieldSelector === undefined ? byName : `${fieldSelector},${byName}`;
  return { ...listQuery(scope, namespace), fieldSelector: fields };
}

const mostLabels = 4;

/** Returns labels that all of these have in common and that a selector can express; only a few, because the selector is part of the URL. */
export function commonLabels(lost: readonly LostGenerated[]): Readonly<Record<string, string>> {
  const [first, ...others] = lost;
  const common = Object.entries(first?.labels ?? {}).filter(
    ([name, value]) =>
      value !== "" &&
      validateQualifiedName(name).length === 0 &&
      validateLabelValue(value).length === 0 &&
      others.every(({ labels }) => Object.hasOwn(labels, name) && labels[name] === value),
  );
  return Object.fromEntries(common.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostLabels));
}
