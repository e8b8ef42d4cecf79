// Asks a server in this process, as a client would, and waits for the whole answer.
import { type ApiRequest, noBody, type Query } from "@kubeloop/core/api";
import type { ApiServer } from "./api-server.ts";

export interface Asked {
  readonly method?: string;
  readonly query?: Query;
  readonly headers?: ApiRequest["headers"];
  /** The body; what it is sent as stands in `type`. */
  readonly value?: object;
  readonly type?: string;
}

const never = new AbortController().signal;

export function requestFor(path: string, asked: Asked = {}, prefers: ApiRequest["prefers"] = "values"): ApiRequest {
  const { method = "GET", query = [], headers = {}, value, type } = asked;
  const body: ApiRequest["body"] = value === undefined ? noBody : { kind: "value", value };
  return {
    method,
    path,
    query,
    headers: { ...(type === undefined ? {} : { "content-type": type }), ...headers },
    body,
    prefers,
  };
}

/** The answer's code, and the object it holds: an object of the kind, a list, or a Status. */
export async function ask<T = unknown>(server: ApiServer, path: string, asked?: Asked) {
  await using response = await server.transport(requestFor(path, asked), never);
  const { status, body } = response;
  return { code: status, object: (body.kind === "value" ? body.value : undefined) as T };
}

export interface NamedList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

export async function namesAt(server: ApiServer, path: string): Promise<readonly string[]> {
  const { object } = await ask<NamedList>(server, path);
  return object.items.map(({ metadata }) => metadata.name);
}
