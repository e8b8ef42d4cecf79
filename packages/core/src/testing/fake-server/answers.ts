// Makes the responses of the fake server: the frozen values that it stores, or the bytes that a real server would send.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  type HttpHeaders,
  type KubernetesObject,
  type Resource,
  type StatusError,
  valueResponse,
} from "../../api/index.ts";
import { deepFreeze } from "../../base/index.ts";

export type BodyStyle = "values" | "bytes";

/** Values are sent only to a client that asked for them; others get bytes. */
export function styleFor(request: ApiRequest, style: BodyStyle): BodyStyle {
  return request.prefers === "values" ? style : "bytes";
}

export function objectAnswer(code: number, object: object, style: BodyStyle): ApiResponse {
  return style === "values" ? valueResponse(code, deepFreeze(object), json) : bytesResponse(code, encode(object), json);
}

export function refusal({ status }: StatusError, style: BodyStyle): ApiResponse {
  const { retryAfterSeconds } = status.details ?? {};
  const headers: HttpHeaders = retryAfterSeconds ? { ...json, "retry-after": String(retryAfterSeconds) } : json;
  const code = status.code ?? 500;
  return style === "values"
    ? valueResponse(code, deepFreeze(status), headers)
    : bytesResponse(code, encode(status), headers);
}

export interface ListAnswer {
  readonly items: readonly KubernetesObject[];
  readonly revision: number;
  readonly continue?: string;
  readonly remaining?: number;
}

export function listAnswer(resource: Resource, list: ListAnswer, style: BodyStyle): ApiResponse {
  const metadata = {
    resourceVersion: String(list.revision),
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  };
  const { apiVersion, listKind: kind } = resource;
  // In bytes, only the list has kind and apiVersion, not its items.
  const items = style === "values" ? list.items : list.items.map(({ kind: _, apiVersion: __, ...rest }) => rest);
  return objectAnswer(200, { kind, apiVersion, metadata, items }, style);
}

/** The response to a watch request. */
export function streamAnswer(events: AsyncIterable<unknown>, style: BodyStyle, close: () => void): ApiResponse {
  return {
    status: 200,
    headers: json,
    body: style === "values" ? { kind: "values", values: events } : { kind: "bytes", bytes: lines(events) },
    [Symbol.asyncDispose]: async () => close(),
  };
}

/** The events of a watch that sends an ERROR event and ends. */
export async function* complaint({ status }: StatusError): AsyncGenerator<unknown, void, undefined> {
  yield deepFreeze({ type: "ERROR", object: status });
}

async function* lines(events: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const event of events) yield new TextEncoder().encode(`${JSON.stringify(event)}\n`);
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

const json: HttpHeaders = { "content-type": "application/json" };
