// Makes an edit action from the observed and the desired object, or undefined if they do not differ.
//
// Promises: only what differs is written, so fields that this program does not know stay as they are; what only looks different ("1000m"
// and "1", an empty list and none) is not written, so that two controllers do not overwrite each other in a loop. The write is refused, as a conflict, if
// somebody has changed or replaced the object since, unless `isLocked` is false. Fields that belong to the server are never written.
import { createMergePatch, type KubernetesObject, keyOf, type Resource, semanticEqual } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import type { Action, Tolerance, WriteActionOptions } from "./actions.ts";

export interface EditOptions {
  /** Whether uid and resourceVersion are preconditions; true unless given. If false, a patch is sent without; an update always has them. */
  readonly isLocked?: boolean;
  /** Failures that count as success; none unless given. */
  readonly tolerates?: readonly Tolerance[];
  readonly options?: WriteActionOptions | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** All but the status, where that is a subresource. Undefined when nothing differs. */
export function editObject<T extends KubernetesObject>(
  resource: Resource<T>,
  before: T,
  after: T,
  options: EditOptions = {},
): Action<T> | undefined {
  if (keyOf(before) !== keyOf(after)) throw newRenamed(keyOf(before), keyOf(after));
  const [from, to] = hasStatusSubresource(resource) ? [withoutStatus(before), withoutStatus(after)] : [before, after];
  return newEdit<T>(resource, before, { from, to: withServersMetadata(to, before), subresource: undefined }, options);
}

/** The status and nothing else, through the subresource where there is one. Undefined when nothing differs. */
export function editStatus<T extends KubernetesObject>(
  resource: Resource<T>,
  before: T,
  after: T,
  options: EditOptions = {},
): Action<T> | undefined {
  const subresource = hasStatusSubresource(resource) ? "status" : undefined;
  return newEdit<T>(resource, before, { from: statusOf(before), to: statusOf(after), subresource }, options);
}

/** All but the status, through a subresource that takes the whole object: a namespace's `finalize`. Undefined when nothing differs. */
export function editSubresource<T extends KubernetesObject>(
  resource: Resource<T>,
  subresource: string,
  before: T,
  after: T,
  options: EditOptions = {},
): Action<T> | undefined {
  if (keyOf(before) !== keyOf(after)) throw newRenamed(keyOf(before), keyOf(after));
  const to = withServersMetadata(withoutStatus(after), before);
  return newEdit<T>(resource, before, { from: withoutStatus(before), to, subresource }, options);
}

/** Whether status is a subresource, so that writes to the object do not change it. */
export function hasStatusSubresource({ subresources }: Resource): boolean {
  return subresources.some(({ name }) => name === "status");
}

function newEdit<T extends KubernetesObject>(
  resource: Resource<T>,
  before: T,
  difference: { readonly from: object; readonly to: object; readonly subresource: string | undefined },
  { isLocked = true, tolerates = [], options }: EditOptions,
): Action<T> | undefined {
  const { from, to, subresource } = difference;
  const patch = createMergePatch(from as Json, to as Json);
  // What differs may only look different.
  if (isEmpty(patch) || semanticEqual(from, to)) return undefined;
  return { type: "edit", resource, before, patch, subresource, isLocked, options, tolerates };
}

function isEmpty(patch: object): boolean {
  for (const _field in patch) return false;
  return true;
}

/** With its kind, which says which fields a server leaves out when they are 0, false or empty. */
function statusOf(object: KubernetesObject): object {
  const { apiVersion, kind, status } = object as KubernetesObject & { readonly status?: unknown };
  return { apiVersion, kind, ...(status === undefined ? {} : { status }) };
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

/** Copies the server's fields from `before`, so that a caller who built new metadata does not remove or change them. */
function withServersMetadata(object: KubernetesObject, before: KubernetesObject): KubernetesObject {
  if (object.metadata === before.metadata) return object;
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
