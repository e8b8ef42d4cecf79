// The verbs on one subresource of named objects: scale, eviction, binding, token, finalize, approval and others. The server decides
// which verbs a subresource supports; others fail with MethodNotAllowed.
import type { ApiRequest, ApiResponse, KubernetesObject, metav1, Query } from "../../api/index.ts";
import { type CallArguments, callArguments } from "./call.ts";
import { type ApplyOptions, type GetOptions, pair, type WriteOptions, writeQuery } from "./options.ts";
import { applyContent, type Content, jsonContent, type Patch, patchContent } from "./patch.ts";
import { type Asked, readObject, readObjectOrStatus } from "./read-response.ts";

export interface SubresourceContext {
  request(method: string, name: string, query: Query, content?: Content): ApiRequest;
  exchange<R>(
    request: ApiRequest,
    name: string,
    signal: AbortSignal,
    read: (response: ApiResponse, asked: Asked) => Promise<R>,
  ): Promise<R>;
  readonly fieldManager: string | undefined;
}

/** The response of a create: a Status for binding and eviction. */
export type CreateAnswer<Name extends string, T> = Name extends "binding" | "eviction" ? metav1.Status : T;

/** The body: the object, whose metadata may be left out because the path has the name. Anything, if its type is not known. */
export type SubresourceBody<T extends KubernetesObject> = KubernetesObject extends T
  ? object
  : Omit<T, "metadata"> & { readonly metadata?: T["metadata"] };

export class SubresourceClient<T extends KubernetesObject, Created = T> {
  readonly #context: SubresourceContext;

  constructor(context: SubresourceContext) {
    this.#context = context;
  }

  async get(name: string, ...call: CallArguments<GetOptions>): Promise<T> {
    const [options, signal] = callArguments<GetOptions>(call);
    const request = this.#context.request("GET", name, pair("resourceVersion", options.resourceVersion));
    return (await this.#context.exchange(request, name, signal, readObject)) as T;
  }

  async create(name: string, body: SubresourceBody<T>, ...call: CallArguments<WriteOptions>): Promise<Created> {
    const [options, signal] = callArguments<WriteOptions>(call);
    const request = this.#context.request("POST", name, this.#writeQuery(options), jsonContent(body));
    return (await this.#context.exchange(request, name, signal, readObjectOrStatus)) as Created;
  }

  async update(name: string, body: SubresourceBody<T>, ...call: CallArguments<WriteOptions>): Promise<T> {
    const [options, signal] = callArguments<WriteOptions>(call);
    return await this.#write("PUT", name, this.#writeQuery(options), jsonContent(body), signal);
  }

  async patch(name: string, patch: Patch, ...call: CallArguments<WriteOptions>): Promise<T> {
    const [options, signal] = callArguments<WriteOptions>(call);
    return await this.#write("PATCH", name, this.#writeQuery(options), patchContent(patch), signal);
  }

  /** Server-side apply with only the fields to apply. */
  async apply(name: string, body: object, options: ApplyOptions, signal: AbortSignal): Promise<T> {
    const query = [...this.#writeQuery(options), ...pair("force", options.force)];
    return await this.#write("PATCH", name, query, applyContent(body), signal);
  }

  async #write(method: string, name: string, query: Query, content: Content, signal: AbortSignal): Promise<T> {
    const request = this.#context.request(method, name, query, content);
    return (await this.#context.exchange(request, name, signal, readObject)) as T;
  }

  #writeQuery(options: Partial<WriteOptions>): Query {
    return writeQuery(options, this.#context.fieldManager);
  }
}
