// Makes an edit action from the observed and the desired object, or undefined if they do not differ.
//
// Promises
// - Only the fields that differ are written, so fields that this program does not know keep their values.
// - Values that are equal in meaning ("1000m" and "1", an empty list and no list) are not written, so that two controllers do not overwrite
//   each other in a loop.
// - If the object was changed or replaced after it was observed, the server refuses the write as a conflict, unless `isLocked` is false.
// - Fields that the server sets are never written.
import { createMergePatch, type KubernetesObject, keyOf, type Resource, semanticEqual } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import type { Action, Tolerance, WriteActionOptions } from "./actions.ts";

export interface EditOptions {
  /**
   * Whether uid and resourceVersion are preconditions; true unless given. If false, a patch
   * is sent without them. An update always contains them.
   */
  readonly isLocked?: boolean;
  /** Errors that count as success; none unless given. */
  readonly tolerates?: readonly Tolerance[];
  readonly options?: WriteActionOptions | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Edits the object, without its status if the status is a subresource. Returns undefined if nothing differs. */
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

export interface EditStatusOptions extends EditOptions {
  /**
   * Whether annotations that differ are written with the status, in the same request; false unless given. The status of built-in kinds
   * accepts them.
   */
  readonly includesAnnotations?: boolean;
}

/** Edits only the status, through the status subresource if the resource has one. Returns undefined if nothing differs. */
export function editStatus<T extends KubernetesObject>(
  resource: Resource<T>,
  before: T,
  after: T,
  { includesAnnotations = false, ...options }: EditStatusOptions = {},
): Action<T> | undefined {
  const subresource = hasStatusSubresource(resource) ? "status" : undefined;
  const partOf = includesAnnotations ? annotationsAndStatusOf : statusOf;
  return newEdit<T>(resource, before, { from: partOf(before), to: partOf(after), subresource }, options);
}

/**
 * Edits the object without its status, through a subresource that takes the whole object, such as `finalize` of a namespace. Returns
 * undefined if nothing differs.
 */
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

/** Whether the status is a subresource. If so, the server ignores the status in writes to the object itself. */
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
  // The patch may contain only values that differ in notation but not in meaning.
  if (isEmpty(patch) || semanticEqual(from, to)) return undefined;
  return { type: "edit", resource, before, patch, subresource, isLocked, options, tolerates };
}

function isEmpty(patch: object): boolean {
  for (const _field in patch) return false;
  return true;
}

/**
 * Returns the status with apiVersion and kind. `semanticEqual` needs the kind, because the kind determines which fields a server leaves out
 * if they are 0, false or empty.
 */
function statusOf(object: KubernetesObject): object {
  const { apiVersion, kind, status } = object as KubernetesObject & { readonly status?: unknown };
  return { apiVersion, kind, ...(status === undefined ? {} : { status }) };
}

function annotationsAndStatusOf(object: KubernetesObject): object {
  const { annotations } = object.metadata;
  return { ...statusOf(object), metadata: annotations === undefined ? {} : { annotations } };
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

/** Copies the metadata fields that the server sets from `before`, so that a caller who built new metadata does not remove or change them. */
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
