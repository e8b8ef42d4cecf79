// The verbs on one subresource of named objects: scale, eviction, binding, token, finalize, approval and their like. Which
// verbs a subresource takes is the server's to say; one it does not take answers MethodNotAllowed.
import type { ApiRequest, KubernetesObject, Query } from "../../api/index.ts";
import { type CallArguments, callArguments } from "./call.ts";
import { type GetOptions, pair, type WriteOptions, writeQuery } from "./options.ts";
import { type Patch, patchContent } from "./patch.ts";

export interface SubresourceContext<T extends KubernetesObject> {
  request(
    method: string,
    name: string,
    query: Query,
    content?: { readonly contentType: string; readonly value: unknown },
  ): ApiRequest;
  object(request: ApiRequest, name: string, signal: AbortSignal): Promise<T>;
  readonly fieldManager: string | undefined;
}

export class SubresourceClient<T extends KubernetesObject> {
  readonly #context: SubresourceContext<T>;

  constructor(context: SubresourceContext<T>) {
    this.#context = context;
  }

  async get(name: string, ...call: CallArguments<GetOptions>): Promise<T> {
    const [options, signal] = callArguments<GetOptions>(call);
    const request = this.#context.request("GET", name, pair("resourceVersion", options.resourceVersion));
    return await this.#context.object(request, name, signal);
  }

  async create(name: string, body: object, ...call: CallArguments<WriteOptions>): Promise<T> {
    return await this.#write("POST", name, { contentType: "application/json", value: body }, call);
  }

  async update(name: string, body: object, ...call: CallArguments<WriteOptions>): Promise<T> {
    return await this.#write("PUT", name, { contentType: "application/json", value: body }, call);
  }

  async patch(name: string, patch: Patch, ...call: CallArguments<WriteOptions>): Promise<T> {
    return await this.#write("PATCH", name, patchContent(patch), call);
  }

  async #write(
    method: string,
    name: string,
    content: { readonly contentType: string; readonly value: unknown },
    call: CallArguments<WriteOptions>,
  ): Promise<T> {
    const [options, signal] = callArguments<WriteOptions>(call);
    const { fieldManager } = this.#context;
    const query = writeQuery(fieldManager === undefined ? options : { fieldManager, ...options });
    return await this.#context.object(this.#context.request(method, name, query, content), name, signal);
  }
}
