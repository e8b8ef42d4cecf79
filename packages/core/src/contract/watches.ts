// Which objects a controller follows, and whom a change wakes. An event only says "look at this key again"; what to do is decided
// from what is there then.
//
//   watches: [owned(pods), mapped(nodes, (node) => [...]), cached(storageClasses)]
//
// On an update both the object before and after are asked whom they wake, so that whoever lost a child hears of it.
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

/** What happened to an object, as far as the cache knows. */
export type Change<T extends KubernetesObject = KubernetesObject> = (
  | { readonly type: "add"; readonly object: T; readonly isInitial: boolean }
  | { readonly type: "update"; readonly before: T; readonly object: T }
  /** Its last state that is known, perhaps not its last. */
  | { readonly type: "delete"; readonly object: T }
) & {
  readonly resource: Resource;
  readonly cause?: ChangeCause | undefined;
};

/** Why it is told: it was there at the start, it changed, a new list shows that it had, or only to be told again. */
export type ChangeCause = "initial" | "change" | "relist" | "resync";

export interface WatchOptions<T extends KubernetesObject = KubernetesObject> {
  /** Which queue the keys are for; the controller's first unless given. */
  readonly queue?: string;
  /** Look only at what this lets through. */
  readonly when?: (change: Change<T>) => boolean;
  /** Wait so long before looking, to gather several changes. */
  readonly afterMs?: number;
  /** Look at everything again so often. */
  readonly resyncMs?: number;
  /** Cache only metadata, unless someone else wants whole objects. */
  readonly metadataOnly?: boolean;
  /** All unless given. */
  readonly namespace?: string;
  /** Several, each with a cache of its own: less is read, and less is allowed to be. */
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

/** Wakes the object itself. A controller's primary is followed so without being named. */
export function itself<T extends KubernetesObject>(resource: Resource<T>, options?: AnyOptions<T>): Watch {
  return newWatch(resource, "itself", options, (change) => [keyOf(change.object)]);
}

export interface OwnedOptions<T extends KubernetesObject = KubernetesObject> extends WatchOptions<T> {
  /** The kind of the owners it wakes; the primary's unless given. */
  readonly owner?: Resource;
  /** Not the controlling owner alone. */
  readonly everyOwner?: boolean;
}

/** Wakes the object's controller, if that is of the primary's kind. */
export function owned<T extends KubernetesObject>(resource: Resource<T>, options: OwnedOptions<T> = {}): Watch {
  const { owner, everyOwner = false } = options;
  return newWatch(resource, "owner", options, (change) =>
    eachState(change, (object) => ownerKeys(object, owner, everyOwner)),
  );
}

/** Wakes whom this function names, for the object before and after. */
export function mapped<T extends KubernetesObject>(
  resource: Resource<T>,
  keysOf: (object: T, snapshot: Snapshot) => readonly Wake[],
  options?: AnyOptions<T>,
): Watch {
  return newWatch(resource, "mapped", options, (change, snapshot) =>
    eachState(change, (object) => keysOf(object, snapshot)),
  );
}

/** As `mapped`, for those who must know what changed. */
export function mappedChange<T extends KubernetesObject>(
  resource: Resource<T>,
  keysOf: (change: Change<T>, snapshot: Snapshot) => readonly Wake[],
  options?: AnyOptions<T>,
): Watch {
  return newWatch(resource, "mapped", options, keysOf);
}

/** Wakes nobody: only to be read, or absorbed by a model. */
export function cached<T extends KubernetesObject>(resource: Resource<T>, options?: AnyOptions<T>): Watch {
  return newWatch(resource, "cache", options, () => []);
}

/** A watch whose owners' kind is not said means the primary's. */
export function withOwner(watch: Watch, primary: Resource | undefined): Watch {
  if (watch.wakes !== "owner" || watch.owner !== undefined || primary === undefined) return watch;
  return { ...watch, ...owned(watch.resource, { ...watch, owner: primary }) };
}

/** A watch of several namespaces as one of each; of these, unless it says which. */
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
  // The cache behind a resource holds that resource's objects: here the compiler is told.
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
