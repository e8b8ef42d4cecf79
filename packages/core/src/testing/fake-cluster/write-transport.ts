// Adds to the fake API server all the writes that controllers make: patches of every type, applies (as merges that create), the status
// subresource, generated names, preconditions, finalizers and propagation, collections. Reads and watches go to the fake API server.
//
// Not here: other subresources, dry runs, and the work of controllers such as garbage collection and deployments. Requests that are not
// supported are refused; none is carried out partly.
import {
  type ApiRequest,
  collectBytes,
  decodeObject,
  generateName,
  headerValue,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type metav1,
  newBadRequest,
  newConflict,
  newMethodNotSupported,
  newNotFound,
  objectKeyOf,
  parseSelector,
  queryValue,
  type Resource,
  requestInfoOf,
  StatusError,
  type Transport,
} from "../../api/index.ts";
import { type Clock, type Random, seededRandom } from "../../base/index.ts";
import { objectAnswer, refusal, styleFor } from "../fake-server/answers.ts";
import type { FakeApiServer } from "../fake-server/index.ts";
import type { FillDefaults } from "./fill-defaults.ts";
import { isOver, patched, stateAfterCreate, stateAfterDelete, stateAfterUpdate } from "./stored-state.ts";

export interface WriteTransportOptions {
  readonly clock: Clock;
  readonly resources: readonly Resource[];
  /** Sets defaults in written objects; no defaults unless given. */
  readonly fillDefaults?: FillDefaults;
  /** Called for each patch and update that did not change the object; not for an apply. */
  readonly onVain?: (write: string, sent: unknown, stored: object) => void;
  /** For generated names. */
  readonly random?: Random;
  /** Called for each write that was carried out: "patch foos/status shop/a". */
  readonly onWrite?: (write: string) => void;
}

interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  readonly subresource: string;
}

export function withWrites(server: FakeApiServer, options: WriteTransportOptions): Transport {
  const { clock, resources, random = seededRandom("names"), onWrite = () => {}, onVain = () => {} } = options;
  const { fillDefaults = (_resource, object) => object } = options;

  const require = ({ resource, key, name }: Target): KubernetesObject => {
    const found = server.get(resource, key);
    if (found === undefined) throw newNotFound(placeOf(resource), name);
    return found;
  };

  const store = (at: Target, before: KubernetesObject, sent: KubernetesObject): KubernetesObject => {
    const filled = at.subresource === "" ? fillDefaults(at.resource, sent) : sent;
    const updated = server.update(at.resource, stateAfterUpdate(at, before, filled));
    return isOver(updated) ? server.delete(at.resource, at.key) : updated;
  };

  const create = ({ resource, namespace }: Target, sent: KubernetesObject): KubernetesObject => {
    const { name, generateName: prefix = "" } = sent.metadata;
    const place = { ...(resource.namespaced ? { namespace } : {}), name: name || generateName(prefix, random) };
    const named = { ...sent, metadata: { ...sent.metadata, ...place } };
    return server.create(resource, stateAfterCreate(resource, fillDefaults(resource, named)));
  };

  const patch = (at: Target, body: unknown, contentType: string): KubernetesObject => {
    const isCreated =
      contentType.startsWith("application/apply-patch") && server.get(at.resource, at.key) === undefined;
    if (isCreated && at.subresource === "") return create(at, decodeObject(body, at.resource));
    const before = require(at);
    return store(at, before, patched(before, body, contentType));
  };

  const remove = (at: Target, wanted: metav1.DeleteOptions): KubernetesObject => {
    const before = require(at);
    for (const field of ["uid", "resourceVersion"] as const) {
      const asked = wanted.preconditions?.[field];
      if (asked === undefined || asked === before.metadata[field]) continue;
      const detail = `Precondition failed: ${field} in precondition: ${asked}, in object: ${before.metadata[field]}`;
      throw newConflict(placeOf(at.resource), at.name, { detail });
    }
    const after = stateAfterDelete(before, wanted, clock.now());
    return isOver(after) ? server.delete(at.resource, at.key) : server.update(at.resource, after);
  };

  const removeAll = (at: Target, request: ApiRequest, wanted: metav1.DeleteOptions): object => {
    const selector = parseSelector(queryValue(request.query, "labelSelector") ?? "");
    for (const object of server.list(at.resource)) {
      const { namespace = "", name = "", labels } = object.metadata;
      if ((at.namespace !== "" && namespace !== at.namespace) || !matchesSelector(selector, labels)) continue;
      remove({ ...at, name, key: keyOf(object) }, wanted);
    }
    return { apiVersion: "v1", kind: "Status", metadata: {}, status: "Success" };
  };

  const write = (verb: string, at: Target, request: ApiRequest, body: unknown): object => {
    switch (verb) {
      case "create":
        if (at.subresource !== "") break;
        return create(at, decodeObject(body, at.resource));
      case "update":
        return store(at, require(at), named(at, decodeObject(body, at.resource)));
      case "patch":
        return patch(at, body, headerValue(request.headers, "content-type") ?? "");
      case "delete":
        return remove(at, (body ?? {}) as metav1.DeleteOptions);
      case "deletecollection":
        return removeAll(at, request, (body ?? {}) as metav1.DeleteOptions);
    }
    throw newMethodNotSupported(placeOf(at.resource), verb);
  };

  return async (request, signal) => {
    signal.throwIfAborted();
    const info = requestInfoOf(request);
    if (!info.isResourceRequest || ["get", "list", "watch"].includes(info.verb))
      return await server.transport(request, signal);
    const style = styleFor(request, "values");
    const { group, resource: plural, subresource, namespace, name, verb } = info;
    try {
      const resource = resources.find((known) => known.group === group && known.plural === plural);
      if (resource === undefined || (subresource !== "" && subresource !== "status"))
        throw newNotFound({ group, resource: plural }, name);
      const body = await bodyOf(request);
      if (isDryRun(request, body)) throw newBadRequest("this server has no dry runs");
      const key = name === "" ? "" : objectKeyOf(resource.namespaced ? namespace : "", name);
      const before = name === "" ? undefined : server.get(resource, key);
      const answer = write(verb, { resource, namespace, name, key, subresource }, request, body);
      const where = subresource === "" ? plural : `${plural}/${subresource}`;
      const told = verb === "create" ? keyOf(answer as KubernetesObject) : key;
      const line = told === "" ? `${verb} ${where}` : `${verb} ${where} ${told}`;
      onWrite(line);
      const isApply = headerValue(request.headers, "content-type")?.startsWith("application/apply-patch") === true;
      if (answer === before && !isApply && (verb === "patch" || verb === "update")) onVain(line, body, answer);
      return objectAnswer(verb === "create" ? 201 : 200, answer, style);
    } catch (error) {
      if (error instanceof StatusError) return refusal(error, style);
      throw error;
    }
  };
}

const placeOf = ({ group, plural }: Resource) => ({ group, resource: plural });

function named({ resource, namespace, name }: Target, object: KubernetesObject): KubernetesObject {
  const place = { ...(resource.namespaced ? { namespace } : {}), name };
  return { ...object, metadata: { ...object.metadata, ...place } };
}

async function bodyOf({ body }: ApiRequest): Promise<unknown> {
  if (body.kind === "none") return undefined;
  if (body.kind === "value") return body.value;
  const bytes =
    body.bytes instanceof Uint8Array ? body.bytes : await collectBytes(body.bytes, { maxBytes: 3 * 2 ** 20 });
  return JSON.parse(new TextDecoder().decode(bytes));
}

function isDryRun({ query }: ApiRequest, body: unknown): boolean {
  const { kind, dryRun } = (body ?? {}) as { readonly kind?: string; readonly dryRun?: readonly string[] };
  return queryValue(query, "dryRun") !== undefined || (kind === "DeleteOptions" && (dryRun ?? []).length > 0);
}
