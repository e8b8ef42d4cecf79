// Sends one action as one request. Preconditions are sent in the form that each verb has for them: fields of the body, tests of a JSON patch,
// or options of a delete. If the same reconcile has written the object before, the preconditions have the version after that write.
import { type KubernetesObject, type SubresourceTypes, splitKey } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { Client, ResourceClient } from "../client/index.ts";
import type {
  EventAction,
  PatchAction,
  PatchBody,
  Preconditions,
  WriteActionOptions,
} from "../contract/for-drivers.ts";
import type { Access, Action } from "../contract/index.ts";
import type { Ports } from "./ports.ts";
import { type EditTools, sendEdit, withMetadata } from "./send-edit.ts";
import type { WrittenVersions } from "./written-versions.ts";

export interface ActionTools {
  readonly client: Client;
  /** The identity of the shared informers; `client` unless given. */
  readonly informerClient?: Client;
  readonly ports: Ports;
  /** Must not throw. */
  readonly recordEvent: (event: EventAction) => void;
  /** The writes that the controller declares. They decide whether an edit is sent as a patch or as an update. */
  readonly writes?: readonly Access[];
}

/** Returns the answer of the server, or of the port. */
export function sendAction(
  action: Action,
  tools: ActionTools,
  written: WrittenVersions | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  switch (action.type) {
    case "event":
      tools.recordEvent(action);
      return Promise.resolve();
    case "port":
      return tools.ports.call(action.port, action.request, signal);
    case "create":
      return at(action, action.object.metadata.namespace, tools).create(action.object, optionsOf(action), signal);
    case "edit":
      return sendEdit(action, editTools(action, tools, written), signal);
    case "update": {
      const { object, subresource } = action;
      const all = at(action, object.metadata.namespace, tools);
      if (subresource === undefined) return all.update(object, optionsOf(action), signal);
      const { name = "" } = object.metadata;
      return all.subresource(subresource).update(name, object, optionsOf(action), signal);
    }
    case "apply": {
      const { object, subresource, fieldManager, force } = action;
      const { apiVersion, kind } = action.resource;
      const options = { ...action.options, force, ...(fieldManager === undefined ? {} : { fieldManager }) };
      const all = at(action, object.metadata.namespace, tools);
      const body = { apiVersion, kind, ...object };
      if (subresource === undefined) return all.apply(body, options, signal);
      return all.subresource(subresource).apply(object.metadata.name, body, options, signal);
    }
    case "patch": {
      const { namespace, name } = splitKey(action.key);
      const all = at(action, namespace, tools);
      const patch = withPreconditions(action, preconditionsFor(action, action.preconditions, written));
      if (action.subresource === undefined) return all.patch(name, patch, optionsOf(action), signal);
      return all.subresource(action.subresource).patch(name, patch, optionsOf(action), signal);
    }
    case "create-subresource": {
      const { namespace, name } = splitKey(action.key);
      const inside = at(action, namespace, tools).subresource(action.subresource);
      return inside.create(name, action.body, optionsOf(action), signal);
    }
    case "delete": {
      const { namespace, name } = splitKey(action.key);
      const { preconditions } = action.options;
      const options =
        preconditions?.resourceVersion === undefined
          ? action.options
          : { ...action.options, preconditions: preconditionsFor(action, preconditions, written) };
      return at(action, namespace, tools).delete(name, options, signal);
    }
    case "deletecollection": {
      const { labelSelector, options } = action;
      const query = labelSelector === undefined ? options : { ...options, labelSelector };
      return at(action, action.namespace, tools).deleteCollection(query, signal);
    }
    default:
      return assertNever(action);
  }
}

function editTools(
  action: Extract<Action, { readonly type: "edit" }>,
  tools: ActionTools,
  written: WrittenVersions | undefined,
): EditTools {
  const { namespace } = action.before.metadata;
  const { client, informerClient = client, writes } = tools;
  return {
    all: at(action, namespace, tools),
    reader: () => at(action, namespace, { client: informerClient }),
    writes,
    written,
  };
}

const optionsOf = ({ options = {} }: { readonly options?: WriteActionOptions | undefined }) => options;

export type AnyClient = ResourceClient<KubernetesObject, SubresourceTypes>;

function at(
  { resource }: Extract<Action, { readonly resource: unknown }>,
  namespace: string | undefined,
  { client }: Pick<ActionTools, "client">,
): AnyClient {
  const all = client.resource<KubernetesObject, SubresourceTypes>(resource);
  return resource.namespaced && namespace !== undefined && namespace !== "" ? all.in(namespace) : all;
}

/** If this reconcile has written the object at the version in the preconditions, returns them with the version after that write. */
function preconditionsFor(
  { resource, key }: Extract<Action, { readonly key: string }>,
  preconditions: Preconditions,
  written: WrittenVersions | undefined,
): Preconditions {
  const version = written?.after(resource, key, preconditions.resourceVersion)?.metadata.resourceVersion;
  return version === undefined ? preconditions : { ...preconditions, resourceVersion: version };
}

function withPreconditions({ patch }: PatchAction, preconditions: Preconditions): PatchBody {
  const fields = Object.entries(preconditions).filter(([, value]) => value !== undefined && value !== "");
  if (fields.length === 0) return patch;
  if (patch.type === "json") {
    const tests = fields.map(([name, value]) => ({ op: "test" as const, path: `/metadata/${name}`, value }));
    return { type: "json", operations: [...tests, ...patch.operations] };
  }
  return { ...patch, body: withMetadata(patch.body, Object.fromEntries(fields)) };
}
