// Actions: the writes and calls of a controller, as data. `decide` and `report` return actions, and the runtime carries them out. An action
// contains its preconditions. A conflict is an ordinary failure, after which the key is requeued with backoff.
//
// Five functions set the preconditions themselves and are enough for most controllers: `create`, `removeObject` and `apply` (writes.ts),
// `editObject` and `editStatus` (edits.ts). The others are for subresources, and for callers that set preconditions themselves.
import { type JsonPatch, type KubernetesObject, keyOf, type Resource } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { Port } from "./ports.ts";

declare const resultType: unique symbol;

/** An action. `R` is the type of its result, if it has one. */
export type Action<R = unknown> = ActionBody & {
  /** Errors that count as success of this action. */
  readonly tolerates: readonly Tolerance[];
  /** Never set: it only tells the compiler the type of the result. */
  readonly [resultType]?: R;
};

export type Tolerance =
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "MethodNotSupported"
  | "UnsupportedMediaType"
  | "NamespaceTerminating";

type ActionBody =
  | CreateAction
  | EditAction
  | UpdateAction
  | PatchAction
  | ApplyAction
  | DeleteAction
  | DeleteCollectionAction
  | CreateSubresourceAction
  | EventAction
  | PortAction;

/** With `generateName` and no name, the server chooses the name. A later reconcile then finds the object by its controller reference. */
export interface CreateAction {
  readonly type: "create";
  readonly resource: Resource;
  readonly object: KubernetesObject;
  readonly options?: WriteActionOptions | undefined;
}

/** Query parameters of a write request. */
export interface WriteActionOptions {
  /** The manager that the server records for the fields; the client's field manager unless given. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The server processes the request and stores nothing. */
  readonly dryRun?: boolean;
}

/** The difference between the observed object and the desired object. It is sent as a patch or as an update: see `verbs`. */
export interface EditAction {
  readonly type: "edit";
  readonly resource: Resource;
  /** The observed object. An update sends this object with the patch applied. */
  readonly before: KubernetesObject;
  /** An RFC 7386 merge patch with only the fields that differ. */
  readonly patch: object;
  readonly subresource: string | undefined;
  /**
   * Whether the server refuses the write if the object was changed or replaced after it was observed. An update is always refused then,
   * because it contains uid and resourceVersion.
   */
  readonly isLocked: boolean;
  readonly options?: WriteActionOptions | undefined;
}

/** If the object has a resourceVersion, the server answers with a conflict when the stored object has changed after that version. */
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
  /** RFC 7386: null removes a field, and a list replaces the stored list. */
  | { readonly type: "merge"; readonly body: object }
  /** The strategic merge patch of Kubernetes: lists are merged by key. For built-in kinds only. */
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

/** A create of a subresource, such as an eviction, a binding or a token. */
export interface CreateSubresourceAction {
  readonly type: "create-subresource";
  readonly resource: Resource;
  readonly key: string;
  readonly subresource: string;
  readonly body: object;
  readonly options?: WriteActionOptions | undefined;
}

/** An Event about an object. Recording an Event never fails and does not wait for the server. */
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

/** Whether the action is a dry run: the server processes the request and stores nothing. */
export function isDryRun(action: Action): boolean {
  return "options" in action && action.options !== undefined && "dryRun" in action.options
    ? action.options.dryRun === true
    : false;
}

/**
 * Returns the key of the object that the action is about. Undefined if the action is about a collection or about no object of a resource,
 * or if the server chooses the name.
 */
export function keyOfAction(action: Action): string | undefined {
  if ("key" in action) return action.key;
  if (action.type === "edit") return keyOf(action.before);
  if (!("object" in action)) return undefined;
  return action.object.metadata.name ? keyOf(action.object) : undefined;
}

/** Returns the action as logs and tests print it: "create pods shop/web-*", "edit jobs.batch/status shop/pi". */
export function printAction(action: Action): string {
  switch (action.type) {
    case "create":
    case "update":
    case "apply":
      return `${action.type} ${printResource(action.resource, "subresource" in action ? action.subresource : undefined)} ${printName(action.object)}`;
    case "edit":
      return `edit ${printResource(action.resource, action.subresource)} ${keyOf(action.before)}`;
    case "patch":
    case "create-subresource":
      return `${action.type === "patch" ? "patch" : "create"} ${printResource(action.resource, action.subresource)} ${action.key}`;
    case "delete":
      return `delete ${printResource(action.resource, undefined)} ${action.key}`;
    case "deletecollection":
      return `deletecollection ${printResource(action.resource, undefined)} in ${action.namespace ?? "all namespaces"}`;
    case "event":
      return `event ${action.eventType} ${action.reason} on ${action.about.kind} ${printName(action.about)}`;
    case "port":
      return `port ${action.port.name}`;
    default:
      return assertNever(action);
  }
}

function printResource({ plural, group }: Resource, subresource: string | undefined): string {
  const name = group === "" ? plural : `${plural}.${group}`;
  return subresource === undefined ? name : `${name}/${subresource}`;
}

function printName({ metadata }: { readonly metadata: KubernetesObject["metadata"] }): string {
  if (metadata.name || metadata.generateName === undefined) return keyOf({ metadata });
  return keyOf({ metadata: { ...metadata, name: `${metadata.generateName}*` } });
}
