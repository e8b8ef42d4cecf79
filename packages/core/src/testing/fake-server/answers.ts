// Makes the responses of the fake server: the frozen values that it stores, or the bytes that a real server would send, in JSON or in protobuf.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  type HttpHeaders,
  hasProtobuf,
  headerValue,
  type KubernetesObject,
  type Protobuf,
  type Resource,
  type StatusError,
  valueResponse,
} from "../../api/index.ts";
import { deepFreeze } from "../../base/index.ts";

export type BodyStyle = "values" | "bytes";

/** Bytes are JSON, unless they are made with the codec of protobuf. */
export type AnswerStyle = BodyStyle | Protobuf;

/** Values are sent only to a client that asked for them; others get bytes. */
export function styleFor(request: ApiRequest, style: BodyStyle): BodyStyle {
  return request.prefers === "values" ? style : "bytes";
}

/** Whether a request that gets bytes gets them in protobuf: it is asked for, and the resource has it. Other views than the whole object are not known here. */
export function wantsProtobuf({ headers }: ApiRequest, { apiVersion, kind }: Resource): boolean {
  const accepted = headerValue(headers, "accept")?.split(",") ?? [];
  return hasProtobuf(apiVersion, kind) && accepted.some((type) => type.trim() === protobufType);
}

export function objectAnswer(code: number, object: object, style: AnswerStyle): ApiResponse {
  return style === "values" ? valueResponse(code, deepFreeze(object), json) : encodedAnswer(code, object, style, {});
}

export function refusal({ status }: StatusError, style: AnswerStyle): ApiResponse {
  const { retryAfterSeconds } = status.details ?? {};
  const headers: HttpHeaders = retryAfterSeconds ? { "retry-after": String(retryAfterSeconds) } : {};
  const code = status.code ?? 500;
  if (style === "values") return valueResponse(code, deepFreeze(status), { ...json, ...headers });
  return encodedAnswer(code, status, style, headers);
}

function encodedAnswer(
  code: number,
  object: object,
  style: Exclude<AnswerStyle, "values">,
  headers: HttpHeaders,
): ApiResponse {
  if (style === "bytes") return bytesResponse(code, encode(object), { ...json, ...headers });
  return bytesResponse(code, style.encodeEnvelope(object as Said), { ...inProtobuf, ...headers });
}

interface Said {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ListAnswer {
  readonly items: readonly KubernetesObject[];
  readonly revision: number;
  readonly continue?: string;
  readonly remaining?: number;
}

export function listAnswer(resource: Resource, list: ListAnswer, style: AnswerStyle): ApiResponse {
  const metadata = {
    resourceVersion: String(list.revision),
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  };
  const { apiVersion, listKind: kind } = resource;
  if (typeof style === "object") {
    const items = list.items.map((item) => style.encodeRaw(item as Said));
    const head = { kind: kind ?? `${resource.kind}List`, apiVersion, metadata };
    return bytesResponse(200, style.encodeListEnvelope(head, items), inProtobuf);
  }
  // In bytes, only the list has kind and apiVersion, not its items.
  const items = style === "values" ? list.items : list.items.map(({ kind: _, apiVersion: __, ...rest }) => rest);
  return objectAnswer(200, { kind, apiVersion, metadata, items }, style);
}

/** The response to a watch request. */
export function streamAnswer(events: AsyncIterable<unknown>, style: AnswerStyle, close: () => void): ApiResponse {
  const body = () => {
    if (style === "values") return { kind: "values", values: events } as const;
    return { kind: "bytes", bytes: style === "bytes" ? lines(events) : frames(events, style) } as const;
  };
  return {
    status: 200,
    headers: typeof style === "object" ? { "content-type": `${protobufType};stream=watch` } : json,
    body: body(),
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

async function* frames(
  events: AsyncIterable<unknown>,
  protobuf: Protobuf,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const event of events) {
    const { type, object } = event as { readonly type: string; readonly object: Said };
    yield protobuf.encodeWatchFrame(type, protobuf.encodeEnvelope(object));
  }
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

const json: HttpHeaders = { "content-type": "application/json" };
const protobufType = "application/vnd.kubernetes.protobuf";
const inProtobuf: HttpHeaders = { "content-type": protobufType };
