// The API's verbs on one resource. Each method sends one request (a list one per page), returns the server's
// response or throws a StatusError with the server's reason, and stops when its signal aborts.
//
// Objects are plain JSON as the server sent them, with `kind` and `apiVersion` filled in. JavaScript cannot represent all integers
// beyond 2^53: reading rounds them, so writing a whole object back (`update`) would store the rounded value. Patches change only
// the fields they name; prefer them, or `updateExactly` where only updates are allowed.
import {
  type ApiRequest,
  type ApiResponse,
  applyMergePatch,
  editJsonText,
  type GroupResource,
  type KubernetesObject,
  loadProtobuf,
  type metav1,
  newConflict,
  noBody,
  type PartialObjectMetadata,
  type Protobuf,
  type Query,
  type Resource,
  type SubresourceTypes,
  type Table,
  type Transport,
} from "../../api/index.ts";
import { type Clock, inFlight, type Log } from "../../base/index.ts";
import { batchIterator } from "../streams/batch-iterator.ts";
import type { Batched } from "../streams/batched.ts";
import { decodeList } from "../streams/list-stream.ts";
import type { WatchEvent } from "../streams/watch-event.ts";
import { decodeWatch } from "../streams/watch-stream.ts";
import { acceptList, acceptMetadataList, acceptOne, acceptTable, type Encoding, type ObjectView } from "./accept.ts";
import type { AnswerObserver } from "./answer-observer.ts";
import type { Applied } from "./applied.ts";
import { type CallArguments, callArguments } from "./call.ts";
import type { EncodingMemory } from "./encoding-memory.ts";
import { NegotiatedRequests } from "./negotiated-requests.ts";
import {
  type ApplyOptions,
  type DeleteOptions,
  deleteBody,
  type ExactUpdateOptions,
  type GetOptions,
  type ListOptions,
  pair,
  selectorQuery,
  type TableOptions,
  type WatchOptions,
  type WriteOptions,
  watchQuery,
  writeQuery,
} from "./options.ts";
import { type Page, type PagedList, type PageRequest, pagedList } from "./paged-list.ts";
import { applyContent, type Content, jsonContent, type Patch, patchContent } from "./patch.ts";
import {
  type Asked,
  drain,
  isProtobuf,
  readObject,
  readObjectOrStatus,
  readTable,
  readText,
  throwIfRefused,
} from "./read-response.ts";
import { invalidRequest, resourcePath } from "./resource-path.ts";
import { resumedWatch, type WatchBatches } from "./resumed-watch.ts";
import { type CreateAnswer, SubresourceClient } from "./subresource-client.ts";

/** What a resource client needs of the client it belongs to. */
export interface ResourceContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly fieldManager: string | undefined;
  /** Whether objects are requested whole or as metadata. */
  readonly view: ObjectView;
  /** Default: JSON. */
  readonly encoding?: Encoding | undefined;
  /** What is known of the server's encodings. Default: nothing is remembered. */
  readonly encodings?: EncodingMemory | undefined;
  /** Told how lists and watches arrive. */
  readonly observer?: AnswerObserver | undefined;
}

interface RequestTarget {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The verbs that work with metadata only: fields that were not read cannot be written back. */
export interface MetadataClient
  extends Pick<
    ResourceClient<PartialObjectMetadata>,
    "resource" | "get" | "list" | "watch" | "patch" | "delete" | "deleteCollection"
  > {
  /** The same resource in one namespace. */
  in(namespace: string): MetadataClient;
}

export class ResourceClient<T extends KubernetesObject, S extends SubresourceTypes = SubresourceTypes> {
  readonly resource: Resource;
  readonly #context: ResourceContext;
  readonly #namespace: string | undefined;
  readonly #requests: NegotiatedRequests;

  constructor(resource: Resource, context: ResourceContext, namespace?: string) {
    this.resource = resource;
    this.#context = context;
    this.#namespace = namespace;
    this.#requests = new NegotiatedRequests(resource, context);
  }

  /** The same resource; the observer is told in which encoding lists and watches arrive, and of objects that turn out to be malformed. For caches. */
  observed(observer: AnswerObserver): ResourceClient<T, S> {
    return new ResourceClient<T, S>(this.resource, { ...this.#context, observer }, this.#namespace);
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

  /** Lists all objects, over all pages, read as they arrive. No request is sent before the first read. */
  list(...call: CallArguments<ListOptions>): PagedList<T> {
    const [options, signal] = callArguments<ListOptions>(call);
    return pagedList<T>((page) => this.#listPage(page, options, signal), options);
  }

  /** Watches changes from a version on. No request is sent before the first read. */
  watch(...call: CallArguments<WatchOptions>): Batched<WatchEvent<T>> {
    const [options, signal] = callArguments<WatchOptions>(call);
    return resumedWatch<T>((position) => this.#openWatch(position, signal), options, this.#context.log);
  }

  async create(object: T, ...call: CallArguments<WriteOptions>): Promise<T> {
    const [options, signal] = callArguments<WriteOptions>(call);
    const target = { namespace: this.#namespaceOf(object) };
    const request = this.#request("POST", target, this.#writeQuery(options), jsonContent(object));
    return await this.#object(request, object.metadata.name, signal);
  }

  /** Replaces the whole object; with `metadata.resourceVersion`, only if it has not changed since. */
  async update(object: T, ...call: CallArguments<WriteOptions>): Promise<T> {
    return await this.#put(object, undefined, callArguments<WriteOptions>(call));
  }

  /** Replaces only the status. */
  async updateStatus(object: T, ...call: CallArguments<WriteOptions>): Promise<T> {
    return await this.#put(object, "status", callArguments<WriteOptions>(call));
  }

  /** Returns the object as JSON text, with exact integers beyond 2^53, which parsing would round. For `updateExactly`. */
  async getText(name: string, signal: AbortSignal): Promise<string> {
    const request: ApiRequest = { ...this.#request("GET", { name }, []), prefers: "bytes" };
    return await this.#exchange(request, name, signal, readText);
  }

  /**
   * Applies a merge patch to the object's text and replaces the object, so that integers beyond 2^53 stay exact. Throws a Conflict if the
   * text is of another object or another version than the preconditions say.
   */
  async updateExactly(text: string, patch: object, options: ExactUpdateOptions, signal: AbortSignal): Promise<T> {
    const { subresource, preconditions = {}, ...rest } = options;
    const { name = "", uid = "", resourceVersion = "" } = (JSON.parse(text) as KubernetesObject).metadata;
    if ((preconditions.uid ?? uid) !== uid || (preconditions.resourceVersion ?? resourceVersion) !== resourceVersion) {
      throw newConflict(this.#groupResource(), name, { detail: "the object has been modified since it was read" });
    }
    const edited = editJsonText(text, (value) => applyMergePatch(value, patch));
    const bytes = new TextEncoder().encode(edited);
    const target = subresource === undefined ? { name } : { name, subresource };
    const request = this.#request("PUT", target, this.#writeQuery(rest), jsonContent(undefined));
    return await this.#object({ ...request, body: { kind: "bytes", bytes } }, name, signal);
  }

  async patch(name: string, patch: Patch, ...call: CallArguments<WriteOptions>): Promise<T> {
    const [options, signal] = callArguments<WriteOptions>(call);
    const request = this.#request("PATCH", { name }, this.#writeQuery(options), patchContent(patch));
    return await this.#object(request, name, signal);
  }

  /** Server-side apply: this manager owns the given fields; others stay unchanged. */
  async apply(object: Applied<T>, options: ApplyOptions, signal: AbortSignal): Promise<T> {
    return await this.#apply(object, undefined, options, signal);
  }

  /** Server-side apply to the status. */
  async applyStatus(object: Applied<T>, options: ApplyOptions, signal: AbortSignal): Promise<T> {
    return await this.#apply(object, "status", options, signal);
  }

  /** Returns the last state of the object if it still exists (finalizers, grace period) or the server sends it; else a Status. */
  async delete(name: string, ...call: CallArguments<DeleteOptions>): Promise<T | metav1.Status> {
    const [options, signal] = callArguments<DeleteOptions>(call);
    const request = this.#request("DELETE", { name }, [], jsonContent(deleteBody(options)));
    return (await this.#negotiate(request, name, signal, readObjectOrStatus)) as T | metav1.Status;
  }

  /** Deletes the objects that match the selectors, in one namespace if the resource is namespaced. Without selectors: all. */
  async deleteCollection(
    options: DeleteOptions & Omit<ListOptions, "pageSize" | "onRestart">,
    signal: AbortSignal,
  ): Promise<void> {
    const query = [...selectorQuery(options), ...pageQuery(wholeList, options)];
    // The server responds with the deleted objects; request only metadata, because the response is not used.
    const request = this.#request("DELETE", {}, query, jsonContent(deleteBody(options)), acceptMetadataList);
    await this.#exchange(request, undefined, signal, drain);
  }

  /** The verbs on a subresource: `pods.in("shop").subresource("eviction").create("web-1", eviction, signal)`. */
  subresource<Name extends keyof S & string>(name: Name): SubresourceClient<S[Name], CreateAnswer<Name, S[Name]>> {
    return new SubresourceClient({
      request: (method, object, query, content) =>
        this.#request(method, { name: object, subresource: name }, query, content),
      exchange: (request, object, signal, read) => this.#exchange(request, object, signal, read),
      fieldManager: this.#context.fieldManager,
    });
  }

  /** Returns the list as a table, with the columns that `kubectl get` prints. */
  async table(...call: CallArguments<TableOptions>): Promise<Table> {
    const [options, signal] = callArguments<TableOptions>(call);
    const query = [...selectorQuery(options), ...pageQuery({ ...wholeList, limit: options.pageSize ?? 0 }, options)];
    const request = this.#request("GET", {}, query, undefined, acceptTable);
    return await this.#exchange(request, undefined, signal, readTable);
  }

  async #put(object: T, subresource: string | undefined, call: [Partial<WriteOptions>, AbortSignal]): Promise<T> {
    const [options, signal] = call;
    const { name } = object.metadata;
    if (name === undefined)
      throw invalidRequest(`metadata.name must be given to update one of ${this.resource.plural}`);
    const target = { namespace: this.#namespaceOf(object), name, subresource };
    return await this.#object(
      this.#request("PUT", target, this.#writeQuery(options), jsonContent(object)),
      name,
      signal,
    );
  }

  async #apply(
    object: Applied<T>,
    subresource: string | undefined,
    options: ApplyOptions,
    signal: AbortSignal,
  ): Promise<T> {
    const { name } = object.metadata;
    const target = { namespace: this.#namespaceOf(object), name, subresource };
    const query = [...this.#writeQuery(options), ...pair("force", options.force)];
    return await this.#object(this.#request("PATCH", target, query, applyContent(object)), name, signal);
  }

  async #listPage(page: PageRequest, options: Partial<ListOptions>, signal: AbortSignal): Promise<Page<T>> {
    const query = [...selectorQuery(options), ...pageQuery(page, options)];
    const { view, clock } = this.#context;
    const { observer } = this.#requests;
    const request = this.#request("GET", {}, query, undefined, acceptList(view));
    return await this.#open(request, acceptList(view, "protobuf"), signal, (response, protobuf) => {
      const stream = decodeList<T>(response.body, { clock, protobuf, observer, ...this.#identity() }, signal);
      return {
        batches: () => this.#closing(stream, response),
        get metadata() {
          return stream.metadata;
        },
      };
    });
  }

  async #openWatch(options: Partial<WatchOptions>, signal: AbortSignal): Promise<WatchBatches<T>> {
    const { view, clock } = this.#context;
    const { observer } = this.#requests;
    const request = this.#request("GET", {}, watchQuery(options));
    return await this.#open(request, acceptOne(view, "protobuf"), signal, (response, protobuf) =>
      this.#closing(decodeWatch<T>(response.body, { clock, protobuf, observer }, signal), response),
    );
  }

  /** Sends the request; the returned stream reads the body of the response and disposes of it at its end. */
  async #open<R>(
    request: ApiRequest,
    accept: string,
    signal: AbortSignal,
    toStream: (response: ApiResponse, protobuf: Protobuf | undefined) => R,
  ): Promise<R> {
    const response = await this.#requests.send(request, accept, signal);
    try {
      const protobuf = await this.#loadFor(response);
      await throwIfRefused(response, { request, resource: this.#groupResource() });
      this.#requests.announce(response);
      return toStream(response, protobuf);
    } catch (error) {
      await response[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Loads the codec if the response needs it. Virtual time waits meanwhile. */
  async #loadFor(response: ApiResponse): Promise<Protobuf | undefined> {
    if (!isProtobuf(response)) return undefined;
    return await inFlight(this.#context.clock, "loading protobuf", loadProtobuf);
  }

  /** Returns the stream's batches; the response is disposed of when reading ends. */
  #closing<V>(stream: Batched<V>, response: ApiResponse): AsyncGenerator<readonly V[], void, undefined> {
    const batches = stream.batches();
    return batchIterator({
      draw: async () => {
        try {
          const { done, value } = await batches.next();
          return done === true ? undefined : value;
        } catch (error) {
          if (isProtobuf(response)) this.#requests.noteFailure(error);
          throw error;
        }
      },
      leave: async () => {
        await batches.return();
        await response[Symbol.asyncDispose]();
      },
    });
  }

  async #object(request: ApiRequest, name: string | undefined, signal: AbortSignal): Promise<T> {
    return (await this.#negotiate(request, name, signal, readObject)) as T;
  }

  /** For an answer that is one object, in whatever encoding the server has. */
  async #negotiate<R>(
    request: ApiRequest,
    name: string | undefined,
    signal: AbortSignal,
    read: (response: ApiResponse, asked: Asked) => Promise<R>,
  ): Promise<R> {
    const response = await this.#requests.send(request, acceptOne(this.#context.view, "protobuf"), signal);
    try {
      return await this.#read(response, request, name, read);
    } catch (error) {
      const isMalformed = isProtobuf(response) && this.#requests.noteFailure(error);
      if (!isMalformed || request.method !== "GET") throw error;
    }
    return await this.#exchange(request, name, signal, read);
  }

  async #exchange<R>(
    request: ApiRequest,
    name: string | undefined,
    signal: AbortSignal,
    read: (response: ApiResponse, asked: Asked) => Promise<R>,
  ): Promise<R> {
    return await this.#read(await this.#context.transport(request, signal), request, name, read);
  }

  async #read<R>(
    response: ApiResponse,
    request: ApiRequest,
    name: string | undefined,
    read: (response: ApiResponse, asked: Asked) => Promise<R>,
  ): Promise<R> {
    // Not `await using`: its compiled form makes a dozen calls, and every write goes through here.
    try {
      if (isProtobuf(response)) await this.#loadFor(response);
      return await read(response, { request, resource: this.#groupResource(), name });
    } finally {
      await response[Symbol.asyncDispose]();
    }
  }

  #request(method: string, target: RequestTarget, query: Query, content?: Content, accept?: string): ApiRequest {
    const namespace = target.namespace ?? this.#namespace;
    return {
      method,
      path: resourcePath({ ...target, resource: this.resource, namespace, isWritten: method !== "GET" }),
      query,
      headers: {
        accept: accept ?? acceptOne(this.#context.view),
        ...(content === undefined ? {} : { "content-type": content.contentType }),
      },
      body: content === undefined ? noBody : { kind: "value", value: content.value },
      prefers: "values",
    };
  }

  #writeQuery(options: Partial<WriteOptions>): Query {
    return writeQuery(options, this.#context.fieldManager);
  }

  // The object's namespace must not contradict the client's.
  #namespaceOf(object: { readonly metadata: { readonly namespace?: string } }): string | undefined {
    if (!this.resource.namespaced) return undefined;
    const namespace = object.metadata.namespace || this.#namespace;
    if (this.#namespace === undefined || namespace === this.#namespace) return namespace;
    throw invalidRequest(`the object is in namespace "${namespace}", this client in "${this.#namespace}"`);
  }

  /** The kind of listed objects, if neither they nor their list have one. */
  #identity(): { readonly kind: string; readonly apiVersion: string } {
    if (this.#context.view === "full") return { kind: this.resource.kind, apiVersion: this.resource.apiVersion };
    return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };
  }

  #groupResource(): GroupResource {
    return { group: this.resource.group, resource: this.resource.plural };
  }
}

const wholeList = { limit: 0 };

function pageQuery(page: Partial<PageRequest>, options: Partial<ListOptions & TableOptions>): Query {
  const { limit = 0, continue: token, resourceVersion, resourceVersionMatch } = { ...options, ...page };
  return [
    ...pair("limit", limit > 0 ? limit : undefined),
    ...pair("continue", token),
    ...pair("resourceVersion", resourceVersion),
    ...pair("resourceVersionMatch", resourceVersionMatch),
    ...pair("timeoutSeconds", options.timeoutSeconds),
  ];
}
