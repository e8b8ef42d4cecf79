// What a controller wants done, as data: the runtime alone carries it out. Preconditions travel in the action, so that an action
// decided on from an old cache fails instead of doing harm; a conflict is an ordinary retry.
//
// Writes touch only what they mean: prefer patches and subresources. `printAction` is how logs and tests name an action.

import type { JsonPatch } from "../api/index.ts";
import { type KubernetesObject, keyOf, type Resource } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { Port } from "./ports.ts";

declare const resultType: unique symbol;

/** An action whose result, where there is one, is of this type. */
export type Action<R = unknown> = ActionBody & {
  /** Failures that are as good as success here. */
  readonly tolerates: readonly Tolerance[];
  /** Only for the compiler: never set. */
  readonly [resultType]?: R;
};

export type Tolerance = "NotFound" | "AlreadyExists" | "Conflict" | "NamespaceTerminating";

export type ActionBody =
  | CreateAction
  | UpdateAction
  | PatchAction
  | ApplyAction
  | DeleteAction
  | DeleteCollectionAction
  | CreateSubresourceAction
  | EventAction
  | PortAction;

/** With `generateName` and no name, the server chooses one; the object's controller is then how it is found again. */
export interface CreateAction {
  readonly type: "create";
  readonly resource: Resource;
  readonly object: KubernetesObject;
  readonly options?: WriteActionOptions | undefined;
}

/** How to write, beside what. */
export interface WriteActionOptions {
  /** Who to record as the one who set the fields; the client's own unless given. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Go through all the steps, but keep nothing. */
  readonly dryRun?: boolean;
}

/** Only if nobody has changed it since, where the object has a resourceVersion. */
export interface UpdateAction {
  readonly type: "update";
  readonly resource: Resource;
  readonly object: KubernetesObject;
  readonly subresource: string | undefined;
  readonly options?: WriteActionOptions | undefined;
}

export interface PatchAction {
  readonly type: "patch";
  readonly resource: Resource;
  readonly key: string;
  readonly patch: PatchBody;
  readonly subresource: string | undefined;
  readonly preconditions: Preconditions;
  readonly options?: WriteActionOptions | undefined;
}

export type PatchBody =
  /** RFC 6902. */
  | { readonly type: "json"; readonly operations: JsonPatch }
  /** RFC 7386: null removes, lists are replaced. */
  | { readonly type: "merge"; readonly body: object }
  /** Kubernetes' own: lists are merged by key. Built-in kinds only. */
  | { readonly type: "strategic"; readonly body: object };

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Server-side apply. */
export interface ApplyAction {
  readonly type: "apply";
  readonly resource: Resource;
  readonly object: { readonly metadata: { readonly name: string; readonly namespace?: string } };
  readonly subresource: string | undefined;
  readonly fieldManager: string | undefined;
  readonly force: boolean;
  readonly options?: Omit<WriteActionOptions, "fieldManager"> | undefined;
}

export interface DeleteAction {
  readonly type: "delete";
  readonly resource: Resource;
  readonly key: string;
  readonly options: DeleteActionOptions;
}

export interface DeleteActionOptions {
  readonly preconditions?: Preconditions;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

export interface DeleteCollectionAction {
  readonly type: "deletecollection";
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly options: Omit<DeleteActionOptions, "preconditions">;
}

/** An eviction, a binding, a token. */
export interface CreateSubresourceAction {
  readonly type: "create-subresource";
  readonly resource: Resource;
  readonly key: string;
  readonly subresource: string;
  readonly body: object;
  readonly options?: WriteActionOptions | undefined;
}

/** Told to whoever looks at the object; never fails. */
export interface EventAction {
  readonly type: "event";
  readonly about: KubernetesObject;
  readonly eventType: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface PortAction {
  readonly type: "port";
  readonly port: Port;
  readonly request: unknown;
}

interface More {
  readonly tolerates?: readonly Tolerance[];
}
interface WriteMore extends More {
  readonly options?: WriteActionOptions | undefined;
}
interface ApplyMore extends More, Pick<ApplyAction, "options"> {
  readonly subresource?: string;
  readonly fieldManager?: string;
  readonly force?: boolean;
}
interface PatchMore extends WriteMore {
  readonly preconditions?: Preconditions;
  readonly subresource?: string;
}

export function create<T extends KubernetesObject>(resource: Resource<T>, object: T, more: WriteMore = {}): Action<T> {
  return { type: "create", resource, object, options: more.options, tolerates: more.tolerates ?? [] };
}

export function update<T extends KubernetesObject>(
  resource: Resource<T>,
  object: T,
  more: WriteMore & { readonly subresource?: string } = {},
): Action<T> {
  const { subresource, options, tolerates = [] } = more;
  return { type: "update", resource, object, subresource, options, tolerates };
}

export function updateStatus<T extends KubernetesObject>(
  resource: Resource<T>,
  object: T,
  more: WriteMore = {},
): Action<T> {
  return update(resource, object, { ...more, subresource: "status" });
}

export function patch<T extends KubernetesObject>(
  resource: Resource<T>,
  key: string,
  body: PatchBody,
  more: PatchMore = {},
): Action<T> {
  const { subresource, preconditions = {}, options, tolerates = [] } = more;
  return { type: "patch", resource, key, patch: body, subresource, preconditions, options, tolerates };
}

export function mergePatch<T extends KubernetesObject>(
  resource: Resource<T>,
  key: string,
  body: object,
  more: PatchMore = {},
): Action<T> {
  return patch(resource, key, { type: "merge", body }, more);
}

/** A merge patch of the status and nothing else. */
export function patchStatus<T extends KubernetesObject>(
  resource: Resource<T>,
  key: string,
  status: object,
  more: Omit<PatchMore, "subresource"> = {},
): Action<T> {
  return mergePatch(resource, key, { status }, { ...more, subresource: "status" });
}

export function apply<T extends KubernetesObject>(
  resource: Resource<T>,
  object: ApplyAction["object"],
  more: ApplyMore = {},
): Action<T> {
  const { subresource, fieldManager, force = true, options, tolerates = [] } = more;
  return { type: "apply", resource, object, subresource, fieldManager, force, options, tolerates };
}

export function remove(resource: Resource, key: string, more: DeleteActionOptions & More = {}): Action {
  const { tolerates = [], ...options } = more;
  return { type: "delete", resource, key, options, tolerates };
}

/** One very object, as it was seen: with its uid, so that one made anew under its name is left alone. */
export function removeObject(
  resource: Resource,
  object: KubernetesObject,
  more: DeleteActionOptions & More = {},
): Action {
  const { uid } = object.metadata;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...more.preconditions };
  return remove(resource, keyOf(object), { ...more, preconditions });
}

export function removeCollection(
  resource: Resource,
  options: { readonly namespace?: string; readonly labelSelector?: string } & DeleteCollectionAction["options"] & More,
): Action {
  const { namespace, labelSelector, tolerates = [], ...rest } = options;
  return { type: "deletecollection", resource, namespace, labelSelector, options: rest, tolerates };
}

export function createSubresource(
  resource: Resource,
  key: string,
  subresource: string,
  more: { readonly body: object } & WriteMore,
): Action<KubernetesObject> {
  const { body, options, tolerates = [] } = more;
  return { type: "create-subresource", resource, key, subresource, body, options, tolerates };
}

export function recordEvent(
  about: KubernetesObject,
  event: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string },
): Action {
  const { type: eventType, reason, message } = event;
  return { type: "event", about, eventType, reason, message, tolerates: [] };
}

/** Has an effect; to only ask, `askPort`. */
export function callPort<Request, R>(port: Port<Request, R>, request: Request): Action<R> {
  return { type: "port", port, request, tolerates: [] };
}

/** Whether it is only to be tried out, and nothing kept. */
export function isDryRun(action: Action): boolean {
  return "options" in action && action.options !== undefined && "dryRun" in action.options
    ? action.options.dryRun === true
    : false;
}

/** "create pods shop/web-*", "patch jobs/status shop/pi", "event Warning FailedCreate on Job shop/pi". */
export function printAction(action: Action): string {
  switch (action.type) {
    case "create":
    case "update":
    case "apply":
      return `${action.type} ${place(action.resource, "subresource" in action ? action.subresource : undefined)} ${printName(action.object)}`;
    case "patch":
    case "create-subresource":
      return `${action.type === "patch" ? "patch" : "create"} ${place(action.resource, action.subresource)} ${action.key}`;
    case "delete":
      return `delete ${place(action.resource, undefined)} ${action.key}`;
    case "deletecollection":
      return `deletecollection ${place(action.resource, undefined)} in ${action.namespace ?? "all namespaces"}`;
    case "event":
      return `event ${action.eventType} ${action.reason} on ${action.about.kind} ${printName(action.about)}`;
    case "port":
      return `port ${action.port.name}`;
    default:
      return assertNever(action);
  }
}

function place({ plural, group }: Resource, subresource: string | undefined): string {
  const name = group === "" ? plural : `${plural}.${group}`;
  return subresource === undefined ? name : `${name}/${subresource}`;
}

function printName({ metadata }: { readonly metadata: KubernetesObject["metadata"] }): string {
  if (metadata.name || metadata.generateName === undefined) return keyOf({ metadata });
  return keyOf({ metadata: { ...metadata, name: `${metadata.generateName}*` } });
}
