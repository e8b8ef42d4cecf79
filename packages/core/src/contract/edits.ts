// From an object as it is and as it should be to the one action that makes it so, or none: for whoever thinks in whole objects.
//
// Promises: the patch names only what differs, so fields nobody here knows of stay as they are; what only looks different ("1000m"
// and "1", an empty list and none) is left alone, so that two writers do not chase each other. It is refused, as a conflict, if
// anybody has changed or replaced the object since, unless it is asked not to look. What belongs to the server is never written.
import {
  addFinalizer,
  createMergePatch,
  type KubernetesObject,
  keyOf,
  type Resource,
  removeFinalizer,
  semanticEqual,
} from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import { type Action, mergePatch, type Preconditions, type WriteActionOptions } from "./actions.ts";

export interface EditOptions {
  /** Whether the object must still be as it was seen; true unless given. Not even its uid is looked at otherwise. */
  readonly isLocked?: boolean;
  readonly options?: WriteActionOptions | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** All but the status, where that is a subresource. */
export function editObject<T extends KubernetesObject>(
  resource: Resource<T>,
  before: T,
  after: T,
  options: EditOptions = {},
): Action<T> | undefined {
  if (keyOf(before) !== keyOf(after)) throw newRenamed(keyOf(before), keyOf(after));
  const [from, to] = hasStatus(resource) ? [withoutStatus(before), withoutStatus(after)] : [before, after];
  const wanted = withServersMetadata(to, before);
  if (semanticEqual(from, wanted)) return undefined;
  const body = createMergePatch(from as unknown as Json, wanted as unknown as Json);
  return mergePatch<T>(resource, keyOf(before), body, { ...preconditionsOf(before, options), ...more(options) });
}

/** The status and nothing else; as a subresource, where it is one. */
export function editStatus<T extends KubernetesObject>(
  resource: Resource<T>,
  before: T,
  after: T,
  options: EditOptions = {},
): Action<T> | undefined {
  const { apiVersion, kind, metadata } = before;
  const [from, to] = [before, after].map((state) => ({ apiVersion, kind, metadata, ...statusOf(state) }));
  if (semanticEqual(from, to)) return undefined;
  const body = createMergePatch(from as unknown as Json, to as unknown as Json);
  const subresource = hasStatus(resource) ? { subresource: "status" } : {};
  const rest = { ...preconditionsOf(before, options), ...more(options) };
  return mergePatch<T>(resource, keyOf(before), body, { ...subresource, ...rest });
}

/** Undefined when it is there already. A server takes none for what is on its way out. */
export function putFinalizer<T extends KubernetesObject>(
  resource: Resource<T>,
  object: T,
  finalizer: string,
): Action<T> | undefined {
  return editObject(resource, object, addFinalizer(object, finalizer));
}

/** Undefined when it is not there. */
export function dropFinalizer<T extends KubernetesObject>(
  resource: Resource<T>,
  object: T,
  finalizer: string,
): Action<T> | undefined {
  return editObject(resource, object, removeFinalizer(object, finalizer));
}

/** Whether writes to the object leave its status alone. */
export function hasStatus({ subresources }: Resource): boolean {
  return subresources.some(({ name }) => name === "status");
}

function preconditionsOf(
  { metadata }: KubernetesObject,
  { isLocked = true }: EditOptions,
): { readonly preconditions?: Preconditions } {
  if (!isLocked) return {};
  const { uid, resourceVersion } = metadata;
  return {
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

const more = ({ options }: EditOptions) => (options === undefined ? {} : { options });

function statusOf(object: KubernetesObject): { readonly status?: unknown } {
  const { status } = object as KubernetesObject & { readonly status?: unknown };
  return status === undefined ? {} : { status };
}

function withoutStatus(object: KubernetesObject): KubernetesObject {
  const { status: _status, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  return rest;
}

const serversMetadata = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
] as const;

/** Whoever builds an object's metadata anew means labels and the like, not that it should have no uid. */
function withServersMetadata(object: KubernetesObject, before: KubernetesObject): KubernetesObject {
  const kept = serversMetadata.flatMap((name) => {
    const value = before.metadata[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = Object.entries(object.metadata).filter(
    ([name]) => !(serversMetadata as readonly string[]).includes(name),
  );
  return { ...object, metadata: Object.fromEntries([...own, ...kept]) };
}

function newRenamed(before: string, after: string): KubeloopError {
  const message = `an edit cannot change the name of an object: ${before} to ${after}`;
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
