// Functions that make actions. Most controllers need only `create`, `removeObject` and `apply`, and `editObject` and `editStatus` (edits.ts).
// `patch`, `update`, `remove`, `removeCollection` and `createSubresource` are for subresources, and for callers that set preconditions
// themselves.
import { type KubernetesObject, keyOf, type Resource } from "../api/index.ts";
import type {
  Action,
  ApplyAction,
  DeleteActionOptions,
  DeleteCollectionAction,
  PatchBody,
  Preconditions,
  Tolerance,
  WriteActionOptions,
} from "./actions.ts";
import type { Port } from "./ports.ts";

interface More {
  /** Errors that count as success; none unless given. */
  readonly tolerates?: readonly Tolerance[];
}
interface WriteMore extends More {
  readonly options?: WriteActionOptions | undefined;
}
interface ApplyMore extends More, Pick<ApplyAction, "options"> {
  readonly subresource?: string;
  readonly fieldManager?: string;
  /** Whether this apply takes ownership of fields from other managers instead of failing with a conflict; true unless given. */
  readonly force?: boolean;
}
interface PatchMore extends WriteMore {
  readonly preconditions?: Preconditions;
  readonly subresource?: string;
}

const none: readonly Tolerance[] = [];

export function create<T extends KubernetesObject>(resource: Resource<T>, object: T, more: WriteMore = {}): Action<T> {
  return { type: "create", resource, object, options: more.options, tolerates: more.tolerates ?? none };
}

/** Deletes the observed object. Its uid is a precondition, so that a new object with the same name is not deleted. */
export function removeObject(
  resource: Resource,
  object: KubernetesObject,
  more: DeleteActionOptions & More = {},
): Action {
  const { uid } = object.metadata;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...more.preconditions };
  return remove(resource, keyOf(object), { ...more, preconditions });
}

/** Server-side apply. It takes ownership of fields from other managers unless `force` is false. */
export function apply<T extends KubernetesObject>(
  resource: Resource<T>,
  object: ApplyAction["object"],
  more: ApplyMore = {},
): Action<T> {
  const { subresource, fieldManager, force = true, options, tolerates = none } = more;
  return { type: "apply", resource, object, subresource, fieldManager, force, options, tolerates };
}

/** Replaces the whole object or a subresource. Prefer `editObject`: it writes only what differs. */
export function update<T extends KubernetesObject>(
  resource: Resource<T>,
  object: T,
  more: WriteMore & { readonly subresource?: string } = {},
): Action<T> {
  const { subresource, options, tolerates = none } = more;
  return { type: "update", resource, object, subresource, options, tolerates };
}

export function patch<T extends KubernetesObject>(
  resource: Resource<T>,
  key: string,
  body: PatchBody,
  more: PatchMore = {},
): Action<T> {
  const { subresource, preconditions = {}, options, tolerates = none } = more;
  return { type: "patch", resource, key, patch: body, subresource, preconditions, options, tolerates };
}

/** Deletes by name, even if another object has that name by then. Prefer `removeObject`. */
export function remove(resource: Resource, key: string, more: DeleteActionOptions & More = {}): Action {
  const { tolerates = none, ...options } = more;
  return { type: "delete", resource, key, options, tolerates };
}

export function removeCollection(
  resource: Resource,
  options: { readonly namespace?: string; readonly labelSelector?: string } & DeleteCollectionAction["options"] & More,
): Action {
  const { namespace, labelSelector, tolerates = none, ...rest } = options;
  return { type: "deletecollection", resource, namespace, labelSelector, options: rest, tolerates };
}

export function createSubresource(
  resource: Resource,
  key: string,
  subresource: string,
  more: { readonly body: object } & WriteMore,
): Action<KubernetesObject> {
  const { body, options, tolerates = none } = more;
  return { type: "create-subresource", resource, key, subresource, body, options, tolerates };
}

export function recordEvent(
  about: KubernetesObject,
  event: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string },
): Action {
  const { type: eventType, reason, message } = event;
  return { type: "event", about, eventType, reason, message, tolerates: none };
}

/** Calls a port for its effect. To read from a port, use `askPort`. */
export function callPort<Request, R>(port: Port<Request, R>, request: Request): Action<R> {
  return { type: "port", port, request, tolerates: none };
}
