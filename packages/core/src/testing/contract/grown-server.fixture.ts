// The fake API server with the additional features that writes of controllers need: generated names, merge and JSON patches, applies (as merges
// that create), dry runs, status and other subresources, preconditions, finalizers and propagation, collections, discovery. It has only what
// the tests of the contract need.
import {
  type ApiRequest,
  type ApiResponse,
  applyJsonPatch,
  applyMergePatch,
  headerValue,
  type JsonPatch,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type metav1,
  newConflict,
  newNotFound,
  objectKeyOf,
  parseSelector,
  printTime,
  queryValue,
  type Resource,
  requestInfoOf,
  StatusError,
  type Transport,
  valueResponse,
} from "../../api/index.ts";
import { type Clock, deepFreeze, type Random, seededRandom } from "../../base/index.ts";
import { printAggregated, toServedGroups } from "../../client/discovery/fake-discovery-server.fixture.ts";
import { FakeApiServer, type FakeApiServerOptions } from "../fake-server/index.ts";

export interface Written {
  readonly verb: string;
  readonly place: string;
  readonly key: string;
  /** The query of the request: "fieldManager=foo&force=true". */
  readonly query: string;
  readonly contentType: string;
  readonly body: unknown;
}

interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  readonly subresource: string;
}

export class GrownServer {
  readonly server: FakeApiServer;
  /** The writes through the transport that the server accepted, in order, including dry runs. */
  readonly written: Written[] = [];
  /** The resources that discovery reports and that accept writes. A test may change them at any time. */
  served: readonly Resource[];
  readonly failingGroups = new Set<string>();
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(options: FakeApiServerOptions) {
    this.#clock = options.clock;
    this.#random = options.random ?? seededRandom("names");
    this.served = options.resources;
    this.server = new FakeApiServer(options);
  }

  /** The writes as text: "create pods shop/a". */
  get log(): readonly string[] {
    return this.written.map(({ verb, place, key }) => `${verb} ${place}${key === "" ? "" : ` ${key}`}`);
  }

  readonly transport: Transport = async (request, signal) => {
    signal.throwIfAborted();
    const info = requestInfoOf(request);
    try {
      if (!info.isResourceRequest) return this.#discover(request);
      const { group, resource: plural, subresource, namespace, name, verb } = info;
      if (["get", "list", "watch"].includes(verb)) return await this.server.transport(request, signal);
      const resource = this.served.find((known) => known.group === group && known.plural === plural);
      if (resource === undefined) throw newNotFound({ group, resource: plural }, name);
      const key = name === "" ? "" : objectKeyOf(resource.namespaced ? namespace : "", name);
      const place = subresource === "" ? plural : `${plural}/${subresource}`;
      const at = { resource, namespace, name, key, subresource };
      const isTried = queryValue(request.query, "dryRun") === "All" || isDryDelete(request);
      const [code, answer] = isTried ? [200, this.#tried(at, request)] : this.#write(verb, at, request);
      this.written.push({
        verb,
        place,
        key: verb === "create" && key === "" ? keyOf(answer as KubernetesObject) : key,
        query: request.query.map(([field, value]) => `${field}=${value}`).join("&"),
        contentType: headerValue(request.headers, "content-type") ?? "",
        body: request.body.kind === "value" ? request.body.value : undefined,
      });
      return valueResponse(code, deepFreeze(answer));
    } catch (error) {
      if (error instanceof StatusError) return valueResponse(error.code ?? 500, deepFreeze(error.status));
      throw error;
    }
  };

  #write(verb: string, at: Target, request: ApiRequest): readonly [number, object] {
    const body = request.body.kind === "value" ? (request.body.value as Record<string, unknown>) : {};
    switch (verb) {
      case "create":
        return [201, at.subresource === "" ? this.#create(at, body) : this.#evict(at)];
      case "update":
        return [200, this.#put(at, body as unknown as KubernetesObject)];
      case "patch":
        return [200, this.#patch(at, body, headerValue(request.headers, "content-type") ?? "")];
      case "delete":
        return [200, this.#delete(at, body as unknown as metav1.DeleteOptions)];
      case "deletecollection": {
        const selector = parseSelector(queryValue(request.query, "labelSelector") ?? "");
        for (const object of this.server.list(at.resource)) {
          if (at.namespace !== "" && object.metadata.namespace !== at.namespace) continue;
          if (!matchesSelector(selector, object.metadata.labels)) continue;
          this.#delete(
            { ...at, key: keyOf(object), name: object.metadata.name ?? "" },
            body as unknown as metav1.DeleteOptions,
          );
        }
        return [200, { apiVersion: "v1", kind: "Status", status: "Success" }];
      }
      default:
        throw newNotFound({ group: at.resource.group, resource: at.resource.plural }, at.name);
    }
  }

  #create({ resource, namespace }: Target, body: Record<string, unknown>): KubernetesObject {
    const object = body as unknown as KubernetesObject;
    const { name, generateName = "" } = object.metadata;
    const suffix = Math.floor(this.#random.next() * 36 ** 5)
      .toString(36)
      .padStart(5, "0");
    const metadata = {
      ...object.metadata,
      ...(resource.namespaced ? { namespace } : {}),
      name: name || `${generateName}${suffix}`,
    };
    return this.server.create(resource, { ...object, metadata });
  }

  #evict(at: Target): object {
    this.#delete(at, {});
    return { apiVersion: "v1", kind: "Status", status: "Success" };
  }

  #put(at: Target, object: KubernetesObject): KubernetesObject {
    const stored = this.#require(at);
    const name = { ...object.metadata, ...(at.resource.namespaced ? { namespace: at.namespace } : {}) };
    const named = { ...object, metadata: name };
    if (at.subresource === "" || at.subresource === "finalize") return this.#store(at, named, stored);
    return this.#store(at, { ...stored, ...statusOf(named), metadata: versionOf(stored, named) }, stored);
  }

  /** Returns approximately the response to a dry run. Nothing is stored. */
  #tried(at: Target, request: ApiRequest): object {
    const body = request.body.kind === "value" ? (request.body.value as object) : {};
    return {
      ...this.server.get(at.resource, at.key),
      ...("kind" in body && body.kind === "DeleteOptions" ? {} : body),
    };
  }

  #patch(at: Target, body: unknown, contentType: string): KubernetesObject {
    const isApply = contentType.includes("apply-patch");
    if (isApply && this.server.get(at.resource, at.key) === undefined) {
      return this.#create(at, body as Record<string, unknown>);
    }
    const stored = this.#require(at);
    const patched = (contentType.includes("json-patch")
      ? applyJsonPatch(stored as never, body as JsonPatch)
      : applyMergePatch(stored as never, body as never)) as unknown as KubernetesObject;
    if (at.subresource === "") return this.#store(at, patched, stored);
    return this.#store(at, { ...stored, ...statusOf(patched), metadata: versionOf(stored, patched) }, stored);
  }

  /** Stores the object. If it is terminating and has no finalizers left, it is deleted. */
  #store(at: Target, object: KubernetesObject, stored: KubernetesObject): KubernetesObject {
    const { deletionTimestamp } = stored.metadata;
    const metadata = { ...object.metadata, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) };
    const updated = this.server.update(at.resource, { ...object, metadata });
    if (deletionTimestamp !== undefined && isFree(updated)) return this.server.delete(at.resource, at.key);
    return updated;
  }

  #delete(at: Target, options: metav1.DeleteOptions): KubernetesObject {
    const stored = this.#require(at);
    const { uid, resourceVersion, finalizers = [] } = stored.metadata;
    const wanted = options.preconditions ?? {};
    if (wanted.uid !== undefined && wanted.uid !== uid) throw this.#conflict(at, "uid");
    if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion)
      throw this.#conflict(at, "version");
    const extra = { Foreground: "foregroundDeletion", Orphan: "orphan", Background: undefined }[
      options.propagationPolicy ?? "Background"
    ];
    const held = extra === undefined || finalizers.includes(extra) ? finalizers : [...finalizers, extra];
    const deletionTimestamp = stored.metadata.deletionTimestamp ?? printTime(this.#clock.now());
    const doomed = { ...stored, metadata: { ...stored.metadata, deletionTimestamp, finalizers: held } };
    if (isFree(doomed)) return this.server.delete(at.resource, at.key);
    return this.server.update(at.resource, doomed);
  }

  #require({ resource, key, name }: Target): KubernetesObject {
    const stored = this.server.get(resource, key);
    if (stored === undefined) throw newNotFound({ group: resource.group, resource: resource.plural }, name);
    return stored;
  }

  #conflict({ resource, name }: Target, what: string): Error {
    const place = { group: resource.group, resource: resource.plural };
    return newConflict(place, name, { detail: `precondition failed: ${what}` });
  }

  #discover({ path }: ApiRequest): ApiResponse {
    const groups = toServedGroups(this.served).map((group) => ({
      ...group,
      versions: group.versions.map((version) => ({ ...version, isStale: this.failingGroups.has(group.name) })),
    }));
    const document = printAggregated(groups, path);
    if (document === undefined) throw newNotFound({ group: "", resource: "" }, path);
    return valueResponse(200, deepFreeze(document));
  }
}

function isDryDelete({ body }: ApiRequest): boolean {
  const { kind, dryRun } = (body.kind === "value" ? body.value : {}) as { readonly kind?: string; dryRun?: unknown };
  return kind === "DeleteOptions" && dryRun !== undefined;
}

function statusOf(object: KubernetesObject): object {
  const { status } = object as KubernetesObject & { readonly status?: object };
  return status === undefined ? {} : { status };
}

/** Returns the stored metadata with the uid and resourceVersion of the sent object, which are the preconditions of the write. */
function versionOf(stored: KubernetesObject, { metadata }: KubernetesObject): metav1.ObjectMeta {
  const { uid, resourceVersion } = metadata;
  return {
    ...stored.metadata,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

function isFree(object: KubernetesObject): boolean {
  const { spec } = object as KubernetesObject & { readonly spec?: { readonly finalizers?: readonly string[] } };
  const own = object.kind === "Namespace" ? (spec?.finalizers ?? []) : [];
  return (object.metadata.finalizers ?? []).length === 0 && own.length === 0;
}
