// What a server's answer means: the object it holds, or the error it stands for. Here bytes become objects; everything
// behind may trust that `kind`, `apiVersion` and `metadata` are there.
//
// An answer that is not what was asked for is never handed out as if it were: a Status that tells of a failure is thrown
// whatever its code, a body that is no object is a TransportError that names the request.
import {
  type ApiRequest,
  type ApiResponse,
  collectBytes,
  decodeObject,
  decodeStatus,
  type GroupResource,
  headerValue,
  type KubernetesObject,
  type metav1,
  newGenericServerResponse,
  StatusError,
  type Table,
  TransportError,
} from "../../api/index.ts";

/** One object, and what thousands of CRDs add to discovery, is a few megabytes; a list is never read through here. */
const largestAnswerBytes = 64 * 1024 * 1024;
const longestMessage = 2048;

export interface Asked {
  readonly request: ApiRequest;
  readonly resource?: GroupResource;
  readonly name?: string | undefined;
}

/** The answer's object. Throws a StatusError for a refusal. */
export async function readObject(response: ApiResponse, asked: Asked): Promise<KubernetesObject> {
  return toObject(await readJson(response, asked), asked);
}

/** The answer's object, or the Status by which some verbs say that they are done. */
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

/** Reads to the end and keeps nothing, so that the connection can be used again. Throws a StatusError for a refusal. */
export async function drain(response: ApiResponse, asked: Asked): Promise<void> {
  await throwIfRefused(response, asked);
  if (response.body.kind !== "bytes") return;
  for await (const _ of response.body.bytes);
}

/** Reads the body of a refusal and throws what it says; leaves any other answer alone. */
export async function throwIfRefused(response: ApiResponse, asked: Asked): Promise<void> {
  if (response.status >= 200 && response.status <= 206) return;
  const body = await readWhole(response);
  const status = decodeStatus(body.kind === "value" ? body.value : parsed(body.text));
  if (status !== undefined && status.status !== "Success") {
    // The predicates need a code where the reason is unknown to them.
    throw new StatusError(status.code === undefined ? { ...status, code: response.status } : status);
  }
  const retryAfterSeconds = Number(headerValue(response.headers, "retry-after") ?? Number.NaN);
  throw newGenericServerResponse({
    code: response.status,
    method: asked.request.method,
    ...(asked.resource === undefined ? {} : { resource: asked.resource }),
    ...(asked.name === undefined ? {} : { name: asked.name }),
    serverMessage: body.kind === "text" ? body.text.slice(0, longestMessage).trim() : "",
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    isUnexpected: true,
  });
}

/** The answer's JSON, whatever it is. Throws a StatusError for a refusal. */
export async function readJson(response: ApiResponse, asked: Asked): Promise<unknown> {
  await throwIfRefused(response, asked);
  const body = await readWhole(response);
  const json = body.kind === "value" ? body.value : parseAnswer(body.text, asked);
  const status = decodeStatus(json);
  if (status?.status === "Failure") throw new StatusError(status);
  return json;
}

/** The answer as text. Throws a StatusError for a refusal. */
export async function readText(response: ApiResponse, asked: Asked): Promise<string> {
  await throwIfRefused(response, asked);
  const body = await readWhole(response);
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

function undecodable({ request }: Asked, what: string, cause?: unknown): TransportError {
  const message = `the server's answer to ${request.method} ${request.path} is ${what}`;
  return new TransportError(message, { reason: "Decode", wasSent: "maybe", cause });
}

type WholeBody = { readonly kind: "value"; readonly value: unknown } | { readonly kind: "text"; readonly text: string };

async function readWhole(response: ApiResponse): Promise<WholeBody> {
  const { body } = response;
  switch (body.kind) {
    case "value":
      return body;
    case "bytes": {
      const bytes = await collectBytes(body.bytes, { maxBytes: largestAnswerBytes });
      return { kind: "text", text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8") };
    }
    default:
      return { kind: "text", text: "" };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not a Status: the caller makes an error of the status code.
    return undefined;
  }
}
