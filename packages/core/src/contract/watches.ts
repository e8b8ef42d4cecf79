// Which objects a controller watches, and which keys a change adds to its queues. An event only says "look at this key again"; what to
// do is decided from what is in the caches then.
//
//   watches: [owned(pods), mapped(nodes, (node) => [...]), cached(storageClasses)]
//
// On an update the keys are taken from the object before and after, so that the previous owner is added, too. A mapping that reads a
// cache which has not synced sees part of it; it is called again when the cache has.
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

/** What happened to an object, as the cache saw it. */
export type Change<T extends KubernetesObject = KubernetesObject> = (
  | { readonly type: "add"; readonly object: T; readonly isInitial: boolean }
  | { readonly type: "update"; readonly before: T; readonly object: T }
  /** In the last state that the cache had, which may not have been its last. */
  | { readonly type: "delete"; readonly object: T }
) & {
  readonly resource: Resource;
  readonly cause?: ChangeCause | undefined;
};

/** Part of the first list; a watch event; a difference found by a later list; nothing but a resync. */
export type ChangeCause = "initial" | "change" | "relist" | "resync";

export interface WatchOptions<T extends KubernetesObject = KubernetesObject> {
  /** The queue that the keys are added to; the controller's first unless given. */
  readonly queue?: string;
  /** Only changes for which this is true count. To map deletions only: `when: ({ type }) => type === "delete"`. */
  readonly when?: (change: Change<T>) => boolean;
  /** Delays the key, to gather several changes. */
  readonly afterMs?: number;
  /** Adds the keys of every cached object again so often. */
  readonly resyncMs?: number;
  /** Needs only metadata. Whole objects are cached all the same if this process caches them already for somebody else. */
  readonly metadataOnly?: boolean;
  /** All unless given. */
  readonly namespace?: string;
  /** Several, each with a cache of its own: less is read, and a smaller role is enough. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface Watch extends WatchOptions {
  readonly resource: Resource;
  /** For documents: "itself", "owner", "mapped", "cache". */
  readonly wakes: "itself" | "owner" | "mapped" | "cache";
  readonly owner?: Resource;
  readonly everyOwner?: boolean;
  keysOf(change: Change, snapshot: Snapshot): readonly Wake[];
}

type AnyOptions<T extends KubernetesObject> = WatchOptions<T> | undefined;

/** Adds the object's own key. A controller's primary is watched so without being named. */
export function itself<T extends KubernetesObject>(resource: Resource<T>, options?: AnyOptions<T>): Watch {
  return newWatch(resource, "itself", options, (change) => [keyOf(change.object)]);
}

export interface OwnedOptions<T extends KubernetesObject = KubernetesObject> extends WatchOptions<T> {
  /** The kind of the owners whose keys are added; the primary unless given. */
  readonly owner?: Resource;
  /** Every owner of that kind, not only the controlling one. */
  readonly everyOwner?: boolean;
}

/** Adds the key of the object's controller, if that is of the primary's kind. */
export function owned<T extends KubernetesObject>(resource: Resource<T>, options: OwnedOptions<T> = {}): Watch {
  const { owner, everyOwner = false } = options;
  return newWatch(resource, "owner", options, (change) =>
    eachState(change, (object) => ownerKeys(object, owner, everyOwner)),
  );
}

/** Adds the keys that this function returns for the object before and after. It is given the change, too. */
export function mapped<T extends KubernetesObject>(
  resource: Resource<T>,
  keysOf: (object: T, snapshot: Snapshot, change: Change<T>) => readonly Wake[],
  options?: AnyOptions<T>,
): Watch {
  return newWatch(resource, "mapped", options, (change, snapshot) =>
    eachState(change, (object) => keysOf(object, snapshot, change)),
  );
}

/** Adds no key: the cache is only read, or absorbed by a model. */
export function cached<T extends KubernetesObject>(resource: Resource<T>, options?: AnyOptions<T>): Watch {
  return newWatch(resource, "cache", options, () => []);
}

/** Fills in the primary where an `owned` watch does not name the owners' kind. */
export function withOwner(watch: Watch, primary: Resource | undefined): Watch {
  if (watch.wakes !== "owner" || watch.owner !== undefined || primary === undefined) return watch;
  return { ...watch, ...owned(watch.resource, { ...watch, owner: primary }) };
}

/** Splits a watch of several namespaces into one for each; of these, where it names none. */
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
  // The cache behind a resource holds that resource's objects: the compiler cannot know that.
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
  return [...keysOf(change.before), ...keysOf(change.object)];
}
