// The API's verbs on one resource. Each method is one request (a list one for each page), each returns what the server
// answered or throws a StatusError that says why not, and each stops when its signal fires.
//
// Objects are plain JSON as the server sent them, `kind` and `apiVersion` filled in. A number beyond 2^53 cannot be held by
// JavaScript: reading rounds it, so writing a whole object back (`update`) would store the rounded one. Patches touch only
// what they name; prefer them.
import {
  type ApiRequest,
  type ApiResponse,
  type GroupResource,
  type KubernetesObject,
  type metav1,
  noBody,
  type Query,
  type Resource,
  type SubresourceTypes,
  type Table,
  type Transport,
} from "../../api/index.ts";
import type { Clock, Log } from "../../base/index.ts";
import type { Batched } from "../streams/batched.ts";
import { decodeList } from "../streams/list-stream.ts";
import type { WatchEvent } from "../streams/watch-event.ts";
import { decodeWatch } from "../streams/watch-stream.ts";
import { readJson, readObject, throwIfRefused } from "./answer.ts";
import { type CallArguments, callArguments } from "./call.ts";
import type { ApplyOptions, DeleteOptions, GetOptions, ListOptions, WatchOptions, WriteOptions } from "./options.ts";
import { pair, selectorQuery, writeQuery } from "./options.ts";
import { type Page, type PagedList, type PageRequest, pagedList } from "./paged-list.ts";
import { applyContentType, type Patch, patchContent } from "./patch.ts";
import { resourcePath } from "./resource-path.ts";
import { resumedWatch, type WatchBatches } from "./resumed-watch.ts";
import { SubresourceClient } from "./subresource-client.ts";

/** What a resource client needs of the client it belongs to. */
export interface ResourceContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly fieldManager: string | undefined;
  /** How the server is asked to show objects. */
  readonly view: ObjectView;
}

export type ObjectView = "full" | "metadata" | "table";

const acceptBy: Readonly<Record<ObjectView, (isList: boolean) => string>> = {
  full: () => "application/json",
  metadata: (isList) =>
    `application/json;as=PartialObjectMetadata${isList ? "List" : ""};g=meta.k8s.io;v=v1,application/json`,
  table: () => "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
};

export interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

interface Content {
  readonly contentType: string;
  readonly value: unknown;
}

export class ResourceClient<T extends KubernetesObject, S extends SubresourceTypes = SubresourceTypes> {
  readonly resource: Resource;
  readonly #context: ResourceContext;
  readonly #namespace: string | undefined;

  constructor(resource: Resource, context: ResourceContext, namespace?: string) {
    this.resource = resource;
    this.#context = context;
    this.#namespace = namespace;
  }

  /** The same resource in one namespace. */
  in(namespace: string): ResourceClient<T, S> {
    return new ResourceClient<T, S>(this.resource, this.#context, namespace);
  }

  async get(name: string, ...call: CallArguments<GetOptions>): Promise<T> {
    const [options, signal] = callArguments<GetOptions>(call);
    const request = this.#request("GET", { name }, pair("resourceVersion", options.resourceVersion));
    return await this.#object(request, name, signal);
  }

  /** All objects, over all pages; read as they arrive. Nothing is asked for until the reader asks. */
  list(...call: CallArguments<ListOptions>): PagedList<T> {
    const [options, signal] = callArguments<ListOptions>(call);
    return pagedList<T>((page) => this.#listPage(page, options, signal), options);
  }

  /** What happens to the objects from a version on. Nothing is asked for until the reader asks. */
  watch(...call: CallArguments<WatchOptions>): Batched<WatchEvent<T>> {
    const [options, signal] = callArguments<WatchOptions>(call);
    return resumedWatch<T>((position) => this.#openWatch(position, signal), options, this.#context.log);
  }

  async create(object: T, ...call: CallArguments<WriteOptions>): Promise<T> {
    const [options, signal] = callArguments<WriteOptions>(call);
    const place = { namespace: this.#namespaceOf(object) };
    const request = this.#request("POST", place, this.#writeQuery(options), json(object));
    return await this.#object(request, object.metadata.name, signal);
  }

  /** Replaces the whole object; with `metadata.resourceVersion`, only if nobody has changed it since. */
  async update(object: T, ...call: CallArguments<WriteOptions>): Promise<T> {
    return await this.#put(object, undefined, callArguments<WriteOptions>(call));
  }

  /** Replaces the status and nothing else. */
  async updateStatus(object: T, ...call: CallArguments<WriteOptions>): Promise<T> {
    return await this.#put(object, "status", callArguments<WriteOptions>(call));
  }

  async patch(name: string, patch: Patch, ...call: CallArguments<WriteOptions>): Promise<T> {
    const [options, signal] = callArguments<WriteOptions>(call);
    const request = this.#request("PATCH", { name }, this.#writeQuery(options), patchContent(patch));
    return await this.#object(request, name, signal);
  }

  /** Server-side apply: the fields given become this manager's, others stay as they are. */
  async apply(object: Applied<T>, options: ApplyOptions, signal: AbortSignal): Promise<T> {
    return await this.#apply(object, undefined, options, signal);
  }

  /** Server-side apply to the status. */
  async applyStatus(object: Applied<T>, options: ApplyOptions, signal: AbortSignal): Promise<T> {
    return await this.#apply(object, "status", options, signal);
  }

  /** The object as it was last, if it lives on (finalizers, grace period) or the server says so; a Status otherwise. */
  async delete(name: string, ...call: CallArguments<DeleteOptions>): Promise<T | metav1.Status> {
    const [options, signal] = callArguments<DeleteOptions>(call);
    const request = this.#request("DELETE", { name }, [], deleteContent(options));
    const asked = { request, resource: this.#groupResource(), name };
    return (await this.#exchange(request, signal, (response) => readJson(response, asked))) as T | metav1.Status;
  }

  async deleteCollection(
    options: DeleteOptions & Omit<ListOptions, "pageSize" | "onRestart">,
    signal: AbortSignal,
  ): Promise<void> {
    const query = [
      ...selectorQuery(options),
      ...pair("resourceVersion", options.resourceVersion),
      ...pair("resourceVersionMatch", options.resourceVersionMatch),
      ...pair("timeoutSeconds", options.timeoutSeconds),
    ];
    const request = this.#request("DELETE", {}, query, deleteContent(options));
    await this.#exchange(request, signal, (response) =>
      readJson(response, { request, resource: this.#groupResource() }),
    );
  }

  /** The verbs on a subresource: `pods.in("shop").subresource("eviction").create("web-1", eviction, signal)`. */
  subresource<Name extends keyof S & string>(name: Name): SubresourceClient<S[Name]> {
    return new SubresourceClient<S[Name]>({
      request: (method, object, query, content) =>
        this.#request(method, { name: object, subresource: name }, query, content),
      object: (request, object, signal) => this.#object<S[Name]>(request, object, signal),
      fieldManager: this.#context.fieldManager,
    });
  }

  /** The list as a table, with the columns `kubectl get` shows. */
  async table(...call: CallArguments<Omit<ListOptions, "onRestart">>): Promise<Table> {
    const [options, signal] = callArguments(call);
    const query = [
      ...selectorQuery(options),
      ...pageQuery({ ...firstPage, ...options, limit: options.pageSize ?? 0 }, options),
    ];
    const request = this.#request("GET", {}, query, undefined, acceptBy.table(true));
    const asked = { request, resource: this.#groupResource() };
    return (await this.#exchange(request, signal, (response) => readJson(response, asked))) as Table;
  }

  async #put(object: T, subresource: string | undefined, call: [Partial<WriteOptions>, AbortSignal]): Promise<T> {
    const [options, signal] = call;
    const { name } = object.metadata;
    const place = { namespace: this.#namespaceOf(object), name, subresource };
    return await this.#object(this.#request("PUT", place, this.#writeQuery(options), json(object)), name, signal);
  }

  async #apply(
    object: Applied<T>,
    subresource: string | undefined,
    options: ApplyOptions,
    signal: AbortSignal,
  ): Promise<T> {
    const { name } = object.metadata;
    const place = { namespace: this.#namespaceOf(object), name, subresource };
    const query = [...this.#writeQuery(options), ...pair("force", options.force)];
    const content = { contentType: applyContentType, value: object };
    return await this.#object(this.#request("PATCH", place, query, content), name, signal);
  }

  async #listPage(page: PageRequest, options: Partial<ListOptions>, signal: AbortSignal): Promise<Page<T>> {
    const query = [...selectorQuery(options), ...pageQuery(page, options)];
    const request = this.#request("GET", {}, query, undefined, acceptBy[this.#context.view](true));
    const response = await this.#open(request, signal);
    const stream = decodeList<T>(response.body, { clock: this.#context.clock }, signal);
    return {
      batches: () => closing(stream, response),
      get metadata() {
        return stream.metadata;
      },
    };
  }

  async #openWatch(options: Partial<WatchOptions>, signal: AbortSignal): Promise<WatchBatches<T>> {
    const query: Query = [
      ["watch", "true"],
      ...selectorQuery(options),
      ...pair("resourceVersion", options.resourceVersion),
      ...pair("resourceVersionMatch", options.resourceVersionMatch),
      ...pair("sendInitialEvents", options.sendInitialEvents),
      ...pair("allowWatchBookmarks", options.allowWatchBookmarks ?? true),
      ...pair("timeoutSeconds", options.timeoutSeconds),
    ];
    const request = this.#request("GET", {}, query, undefined, acceptBy[this.#context.view](false));
    const response = await this.#open(request, signal);
    return closing(decodeWatch<T>(response.body, { clock: this.#context.clock }, signal), response);
  }

  async #open(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const response = await this.#context.transport(request, signal);
    try {
      await throwIfRefused(response, { request, resource: this.#groupResource() });
      return response;
    } catch (error) {
      await response[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #object<O extends KubernetesObject = T>(
    request: ApiRequest,
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<O> {
    const asked = { request, resource: this.#groupResource(), name };
    return (await this.#exchange(request, signal, (response) => readObject(response, asked))) as O;
  }

  async #exchange<R>(
    request: ApiRequest,
    signal: AbortSignal,
    read: (response: ApiResponse) => Promise<R>,
  ): Promise<R> {
    await using response = await this.#context.transport(request, signal);
    return await read(response);
  }

  #request(method: string, place: Place, query: Query, content?: Content, accept?: string): ApiRequest {
    const namespace = place.namespace ?? this.#namespace;
    return {
      method,
      path: resourcePath({ ...place, resource: this.resource, namespace }),
      query,
      headers: {
        accept: accept ?? acceptBy[this.#context.view](false),
        ...(content === undefined ? {} : { "content-type": content.contentType }),
      },
      body: content === undefined ? noBody : { kind: "value", value: content.value },
      prefers: "values",
    };
  }

  #writeQuery(options: Partial<WriteOptions>): Query {
    const { fieldManager } = this.#context;
    return writeQuery(fieldManager === undefined ? options : { fieldManager, ...options });
  }

  // An object may say where it lives; it must not contradict the client.
  #namespaceOf(object: { readonly metadata: { readonly namespace?: string } }): string | undefined {
    return this.resource.namespaced ? (this.#namespace ?? object.metadata.namespace) : undefined;
  }

  #groupResource(): GroupResource {
    return { group: this.resource.group, resource: this.resource.plural };
  }
}

/** What an apply names: the identity whole, of the rest only the fields that are meant. */
export type Applied<T extends KubernetesObject> = Pick<T, "apiVersion" | "kind"> & {
  readonly metadata: T["metadata"] & { readonly name: string };
} & DeepPartial<Omit<T, "apiVersion" | "kind" | "metadata">>;

type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly DeepPartial<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

const firstPage: PageRequest = { limit: 0, continue: "", resourceVersion: undefined, resourceVersionMatch: undefined };

function pageQuery(page: PageRequest, options: Partial<ListOptions>): Query {
  return [
    ...pair("limit", page.limit > 0 ? page.limit : undefined),
    ...pair("continue", page.continue),
    ...pair("resourceVersion", page.resourceVersion),
    ...pair("resourceVersionMatch", page.resourceVersionMatch),
    ...pair("timeoutSeconds", options.timeoutSeconds),
  ];
}

function json(value: unknown): Content {
  return { contentType: "application/json", value };
}

function deleteContent(options: Partial<DeleteOptions>): Content {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options;
  return json({
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  });
}

/** The stream's batches; the response is let go of when reading ends. */
async function* closing<V>(stream: Batched<V>, response: ApiResponse): AsyncGenerator<readonly V[], void, undefined> {
  try {
    yield* stream.batches();
  } finally {
    await response[Symbol.asyncDispose]();
  }
}
