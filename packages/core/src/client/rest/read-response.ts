// Interprets a server's response: decodes its object, or throws the error it stands for. Code that uses the result
// may rely on `kind`, `apiVersion` and `metadata`.
//
// A response of the wrong kind is never returned: a Status that reports a failure is thrown
// whatever its code, and a body that is not an object is a TransportError that names the request.
import {
  type ApiRequest,
  type ApiResponse,
  collectBytes,
  decodeObject,
  decodeStatus,
  type GroupResource,
  headerValue,
  type KubernetesObject,
  loadProtobuf,
  type metav1,
  newGenericServerResponse,
  ProtobufError,
  StatusError,
  type Table,
  TransportError,
} from "../../api/index.ts";

import { protobufMediaType } from "./accept.ts";

/** A single object, or discovery with thousands of CRDs, has a few megabytes; lists are not read through this function. */
const maxResponseBytes = 64 * 1024 * 1024;
const maxMessageLength = 2048;

export interface Asked {
  readonly request: ApiRequest;
  readonly resource?: GroupResource;
  readonly name?: string | undefined;
}

/** Returns the response's object. Throws a StatusError for an error status or a Status that reports a failure. */
export async function readObject(response: ApiResponse, asked: Asked): Promise<KubernetesObject> {
  return toObject(await readJson(response, asked), asked);
}

/** Returns the response's object, or the Status that some verbs return on success. */
export async function readObjectOrStatus(
  response: ApiResponse,
  asked: Asked,
): Promise<KubernetesObject | metav1.Status> {
  const json = await readJson(response, asked);
  return decodeStatus(json) ?? toObject(json, asked);
}

export async function readTable(response: ApiResponse, asked: Asked): Promise<Table> {
  const json = await readJson(response, asked);
  const { kind } = toObject(json, asked);
  if (kind !== "Table") throw undecodable(asked, `a ${kind}, not a Table`);
  return json as Table;
}

/** Reads to the end and drops the data, so that the connection can be reused. Throws a StatusError for an error status. */
export async function drain(response: ApiResponse, asked: Asked): Promise<void> {
  await throwIfRefused(response, asked);
  if (response.body.kind !== "bytes") return;
  for await (const _ of response.body.bytes);
}

/** Throws the Status in the body, or an error made from the code, unless the code is 200 to 206: then the body stays unread. */
export async function throwIfRefused(response: ApiResponse, asked: Asked): Promise<void> {
  if (response.status >= 200 && response.status <= 206) return;
  const body = await readWhole(response);
  const status = decodeStatus(valueOrNone(body));
  if (status !== undefined && status.status !== "Success") {
    // The predicates need a code if they do not know the reason.
    throw new StatusError(status.code === undefined ? { ...status, code: response.status } : status);
  }
  const retryAfterSeconds = Number(headerValue(response.headers, "retry-after") ?? Number.NaN);
  throw newGenericServerResponse({
    code: response.status,
    method: asked.request.method,
    ...(asked.resource === undefined ? {} : { resource: asked.resource }),
    ...(asked.name === undefined ? {} : { name: asked.name }),
    serverMessage: body.kind === "text" ? body.text.slice(0, maxMessageLength).trim() : "",
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    isUnexpected: true,
  });
}

/** Returns the response's JSON. Throws a StatusError for an error status or a Status that reports a failure. */
export async function readJson(response: ApiResponse, asked: Asked): Promise<unknown> {
  await throwIfRefused(response, asked);
  const body = await readWhole(response);
  if (body.kind === "malformed") throw malformedAnswer(asked, body.error);
  const json = body.kind === "value" ? body.value : parseAnswer(body.text, asked);
  const status = decodeStatus(json);
  if (status?.status === "Failure") throw new StatusError(status);
  return json;
}

/** Returns the response as text. Throws a StatusError for an error status. */
export async function readText(response: ApiResponse, asked: Asked): Promise<string> {
  await throwIfRefused(response, asked);
  const body = await readWhole(response);
  if (body.kind === "malformed") throw malformedAnswer(asked, body.error);
  return body.kind === "value" ? JSON.stringify(body.value) : body.text;
}

function parseAnswer(text: string, asked: Asked): unknown {
  if (text === "") throw undecodable(asked, "empty");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw undecodable(asked, "not JSON", cause);
  }
}

function toObject(json: unknown, asked: Asked): KubernetesObject {
  try {
    return decodeObject(json);
  } catch (cause) {
    throw undecodable(asked, `not an object: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function malformedAnswer(asked: Asked, error: ProtobufError): TransportError {
  return undecodable(asked, `malformed: ${error.field === "" ? "" : `${error.field}: `}${error.message}`, error);
}

function undecodable({ request }: Asked, what: string, cause?: unknown): TransportError {
  const message = `the server's answer to ${request.method} ${request.path} is ${what}`;
  return new TransportError(message, { reason: "Decode", wasSent: "maybe", cause });
}

type WholeBody =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "malformed"; readonly error: ProtobufError };

async function readWhole(response: ApiResponse): Promise<WholeBody> {
  const { body } = response;
  switch (body.kind) {
    case "value":
      return body;
    case "bytes": {
      const bytes = await collectBytes(body.bytes, { maxBytes: maxResponseBytes });
      if (isProtobuf(response)) return await decodeProtobuf(bytes);
      return { kind: "text", text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8") };
    }
    default:
      return { kind: "text", text: "" };
  }
}

/** Whether the body is Kubernetes' protobuf: objects, lists, Statuses or frames of a watch. */
export function isProtobuf({ headers }: ApiResponse): boolean {
  return headerValue(headers, "content-type")?.startsWith(protobufMediaType) === true;
}

async function decodeProtobuf(bytes: Uint8Array): Promise<WholeBody> {
  const protobuf = await loadProtobuf();
  try {
    return { kind: "value", value: protobuf.decodeEnvelope(bytes) };
  } catch (error) {
    if (error instanceof ProtobufError) return { kind: "malformed", error };
    throw error;
  }
}

/** Undefined where the body is no object: then the caller makes an error from the status code. */
function valueOrNone(body: WholeBody): unknown {
  if (body.kind === "malformed") return undefined;
  return body.kind === "value" ? body.value : parsed(body.text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not a Status: the caller makes an error from the status code.
    return undefined;
  }
}
