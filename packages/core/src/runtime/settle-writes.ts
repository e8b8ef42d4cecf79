// What a consistent live read says about a write whose answer was lost, or which a cache has not shown for too long: what the cache
// must show, or that there is nothing to wait for. Also what to ask for. Pure; settling-reads.ts makes the requests.
//
// - Never settled by believing the cache: as long as it holds what the server no longer has, the key waits for it to go.
// - Creates with generated names are settled by a list, and all children of the owner must show: which of them was the lost one does
//   not matter. The list is narrowed to the labels that all the lost objects have in common, so an admission webhook that takes one of
//   these labels off hides the object from it.
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
  /** Whether it still follows the server: one that was stopped shows nothing new. */
  isFollowing(): boolean;
}

/** Given the object as the server has it, within the cache's scope; undefined if it has none. */
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
  // It was not removed after all, or created anew.
  if (uid !== expected.uid || deletionTimestamp === undefined) {
    return { kind: "written", resource, key, version, isOwn: false };
  }
  return removal === "marked" ? expected : { ...expected, removal: "gone or marked" };
}

/** Everything a list shows, by what lost creates are found by. */
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
      // What the cache has already was not created by the request that was lost.
      return { kind: "written", resource, key, version, isOwn: cache.getByKey(key) === undefined };
    });
  }
}

/** Two lost creates of one origin are settled by the same children. */
export function originOf({ ownerUid, generateName }: LostGenerated): string {
  return ownerUid === undefined ? `name ${generateName}` : `owner ${ownerUid}`;
}

/** All that the cache's watch shows of a namespace, as far as it has these labels. */
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

/** One object, if the cache's watch shows it: where that has selectors, only a list can tell. */
export function objectQuery(scope: CacheScope, key: string): LiveListQuery | undefined {
  const { labelSelector, fieldSelector } = scope;
  if (labelSelector === undefined && fieldSelector === undefined) return undefined;
  const { namespace, name } = splitKey(key);
  const byName = `metadata.name=${name}`;
  const fields = fieldSelector === undefined ? byName : `${fieldSelector},${byName}`;
  return { ...listQuery(scope, namespace), fieldSelector: fields };
}

const mostLabels = 4;

/** What a selector can ask of all of these; a few, because a selector travels in the request's address. */
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
