// What can be done, as data. `decide` and `report` return actions; the runtime carries them out. Preconditions travel in the action: a
// conflict is an ordinary failure, and the key is tried again.
//
// Five ways to write carry their preconditions by themselves and are enough for most controllers: `create`, `removeObject` and `apply`
// (writes.ts), `editObject` and `editStatus` (edits.ts). The others are for subresources, and for callers that give preconditions themselves.
import { type JsonPatch, type KubernetesObject, keyOf, type Resource } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { Port } from "./ports.ts";

declare const resultType: unique symbol;

/** An action whose result, where there is one, is of this type. */
export type Action<R = unknown> = ActionBody & {
  /** Failures that count as success here. */
  readonly tolerates: readonly Tolerance[];
  /** Only for the compiler: never set. */
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

/** With `generateName` and no name, the server chooses the name; the object's controller is then how it is found again. */
export interface CreateAction {
  readonly type: "create";
  readonly resource: Resource;
  readonly object: KubernetesObject;
  readonly options?: WriteActionOptions | undefined;
}

/** How to write, beside what. */
export interface WriteActionOptions {
  /** The manager that the server records for the fields; the client's own unless given. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The server processes the request and stores nothing. */
  readonly dryRun?: boolean;
}

/** What differs between an object as it was observed and as it should be. Sent as a patch or as an update: see `verbs`. */
export interface EditAction {
  readonly type: "edit";
  readonly resource: Resource;
  /** The object as it was observed. An update is this object with the patch applied. */
  readonly before: KubernetesObject;
  /** RFC 7386: only what differs. */
  readonly patch: object;
  readonly subresource: string | undefined;
  /** Whether the write is refused when somebody has changed or replaced the object since. An update always is. */
  readonly isLocked: boolean;
  readonly options?: WriteActionOptions | undefined;
}

/** Refused as a conflict, where the object has a resourceVersion and somebody has changed it since. */
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

/** An Event about an object. Recording never fails and never waits. */
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

/** Whether the server is asked to store nothing. */
export function isDryRun(action: Action): boolean {
  return "options" in action && action.options !== undefined && "dryRun" in action.options
    ? action.options.dryRun === true
    : false;
}

/** The key of the object that an action is about; undefined for several, for none, and where the server chooses the name. */
export function keyOfAction(action: Action): string | undefined {
  if ("key" in action) return action.key;
  if (action.type === "edit") return keyOf(action.before);
  if (!("object" in action)) return undefined;
  return action.object.metadata.name ? keyOf(action.object) : undefined;
}

/** How logs and tests name an action: "create pods shop/web-*", "edit jobs.batch/status shop/pi". */
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
