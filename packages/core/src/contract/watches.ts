// The watches of a controller: which objects it watches, and which keys a change adds to its queues. A change only enqueues keys; the
// reconcile decides from the state of the caches at that time.
//
//   watches: [owned(pods), mapped(nodes, (node) => [...]), cached(storageClasses)]
//
// For an update, the keys of both the old and the new object are added, so that the previous owner is reconciled, too. A mapping that reads
// a cache which has not synced may see only part of the objects; it is called again when that cache has synced.
import {
  controllerOf,
  type KubernetesObject,
  keyOf,
  objectKeyOf,
  parseGroupVersion,
  type Resource,
} from "../api/index.ts";
import type { Wake } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";

/** A change of an object in the cache. */
export type Change<T extends KubernetesObject = KubernetesObject> = (
  | { readonly type: "add"; readonly object: T; readonly isInitial: boolean }
  | { readonly type: "update"; readonly before: T; readonly object: T }
  /** `object` is the last state in the cache. The watch may have missed later states. */
  | { readonly type: "delete"; readonly object: T }
) & {
  readonly resource: Resource;
  readonly cause?: ChangeCause | undefined;
};

/**
 * "initial": the object was in the first list. "change": a watch event. "relist": a later list differed
 * from the cache. "resync": the object has not changed.
 */
export type ChangeCause = "initial" | "change" | "relist" | "resync";

export interface WatchOptions<T extends KubernetesObject = KubernetesObject> {
  /** The queue that the keys are added to; the controller's first queue unless given. */
  readonly queue?: string;
  /**
   * Only changes for which this returns true add keys. For deletions only: `when: ({ type }) => type === "delete"`. It may read other caches: a
   * change whose answer came from a cache that has not synced is asked about again when that cache has.
   */
  readonly when?: (change: Change<T>, snapshot: Snapshot) => boolean;
  /** Adds the key after this delay, so that one reconcile handles several changes. */
  readonly afterMs?: number;
  /** Adds the keys of every cached object again after each such period. */
  readonly resyncMs?: number;
  /**
   * The controller needs only the metadata of these objects. If this process already caches
   * the whole objects for another use, that cache is shared.
   */
  readonly metadataOnly?: boolean;
  /** All namespaces unless given. */
  readonly namespace?: string;
  /** Several namespaces, each with its own cache. Fewer objects are read than with all namespaces, and a smaller role is enough. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface Watch extends WatchOptions {
  readonly resource: Resource;
  /** Which keys the watch adds. The driver, the checks of the descriptor and the documentation read it. */
  readonly wakes: "itself" | "owner" | "mapped" | "cache";
  readonly owner?: Resource;
  readonly everyOwner?: boolean;
  keysOf(change: Change, snapshot: Snapshot): readonly Wake[];
}

type AnyOptions<T extends KubernetesObject> = WatchOptions<T> | undefined;

/** Adds the object's own key. The primary of a controller is watched like this even if `watches` does not contain it. */
export function itself<T extends KubernetesObject>(resource: Resource<T>, options?: AnyOptions<T>): Watch {
  return newWatch(resource, "itself", options, (change) => [keyOf(change.object)]);
}

export interface OwnedOptions<T extends KubernetesObject = KubernetesObject> extends WatchOptions<T> {
  /** The resource of the owners whose keys are added; the primary unless given. */
  readonly owner?: Resource;
  /** Adds the keys of all owners of that kind, not only of the controller; false unless given. */
  readonly everyOwner?: boolean;
}

/** Adds the key of the object's controller (the owner with `controller: true`), if it is of the primary's kind or of that of `owner`. */
export function owned<T extends KubernetesObject>(resource: Resource<T>, options: OwnedOptions<T> = {}): Watch {
  const { owner, everyOwner = false } = options;
  return newWatch(resource, "owner", options, (change) =>
    eachState(change, (object) => ownerKeys(object, owner, everyOwner)),
  );
}

/**
 * Adds the keys that `keysOf` returns. For an update, `keysOf` is called with the old and
 * with the new object; both calls also receive the change.
 */
export function mapped<T extends KubernetesObject>(
  resource: Resource<T>,
  keysOf: (object: T, snapshot: Snapshot, change: Change<T>) => readonly Wake[],
  options?: AnyOptions<T>,
): Watch {
  return newWatch(resource, "mapped", options, (change, snapshot) =>
    eachState(change, (object) => keysOf(object, snapshot, change)),
  );
}

/** Adds no key. The cache is only read by the rules, or its changes are passed to `absorb` of the model. */
export function cached<T extends KubernetesObject>(resource: Resource<T>, options?: AnyOptions<T>): Watch {
  return newWatch(resource, "cache", options, () => []);
}

/** Sets the primary as the owner of an `owned` watch that does not name the resource of the owners. */
export function withOwner(watch: Watch, primary: Resource | undefined): Watch {
  if (watch.wakes !== "owner" || watch.owner !== undefined || primary === undefined) return watch;
  return { ...watch, ...owned(watch.resource, { ...watch, owner: primary }) };
}

/** Splits a watch of several namespaces into one watch for each. A watch that names no namespace is split into one for each of `others`. */
export function inNamespaces(watch: Watch, others: readonly string[] | undefined): readonly Watch[] {
  const { namespaces, ...rest } = watch;
  if (!watch.resource.namespaced) return [rest];
  const names = namespaces ?? (rest.namespace === undefined ? others : undefined);
  return names === undefined ? [rest] : [...new Set(names)].map((namespace) => ({ ...rest, namespace }));
}

function newWatch<T extends KubernetesObject>(
  resource: Resource<T>,
  wakes: Watch["wakes"],
  options: AnyOptions<T>,
  keysOf: (change: Change<T>, snapshot: Snapshot) => readonly Wake[],
): Watch {
  // The cache of a resource has only objects of that resource's type, which the compiler cannot know.
  return { ...options, resource, wakes, keysOf } as unknown as Watch;
}

function ownerKeys(object: KubernetesObject, owner: Resource | undefined, everyOwner: boolean): readonly Wake[] {
  if (owner === undefined) return [];
  const controller = controllerOf(object);
  const all = everyOwner ? (object.metadata.ownerReferences ?? []) : controller === undefined ? [] : [controller];
  const namespace = owner.namespaced ? (object.metadata.namespace ?? "") : "";
  return all
    .filter(({ kind, apiVersion }) => kind === owner.kind && parseGroupVersion(apiVersion).group === owner.group)
    .map(({ name }) => objectKeyOf(namespace, name));
}

function eachState<T extends KubernetesObject>(
  change: Change<T>,
  keysOf: (object: T) => readonly Wake[],
): readonly Wake[] {
  if (change.type !== "update" || change.before === change.object) return keysOf(change.object);
  const [before, after] = [keysOf(change.before), keysOf(change.object)];
  // By far most updates move nothing from one key to another.
  if (before.length === 0 || (before.length === 1 && after.length === 1 && before[0] === after[0])) return after;
  return after.length === 0 ? before : [...before, ...after];
}
