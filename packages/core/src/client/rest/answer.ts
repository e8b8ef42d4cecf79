// What a server's answer means: the object it holds, or the error it stands for. Here bytes become objects; everything
// behind may trust that `kind`, `apiVersion` and `metadata` are there.
import {
  type ApiRequest,
  type ApiResponse,
  collectBytes,
  decodeObject,
  decodeStatus,
  type GroupResource,
  headerValue,
  type KubernetesObject,
  newGenericServerResponse,
  StatusError,
  TransportError,
} from "../../api/index.ts";

/** One object is at most a few megabytes; a list is never read through here. */
const largestAnswerBytes = 64 * 1024 * 1024;
const longestMessage = 2048;

export interface Asked {
  readonly request: ApiRequest;
  readonly resource?: GroupResource;
  readonly name?: string | undefined;
}

/** The answer's object. Throws a StatusError for a refusal. */
export async function readObject(response: ApiResponse, asked: Asked): Promise<KubernetesObject> {
  const json = await readJson(response, asked);
  return decodeObject(json);
}

/** The answer's JSON, whatever it is. Throws a StatusError for a refusal, a TransportError for what is not JSON. */
export async function readJson(response: ApiResponse, asked: Asked): Promise<unknown> {
  await throwIfRefused(response, asked);
  const body = await readWhole(response);
  if (body.kind === "value") return body.value;
  try {
    return JSON.parse(body.text);
  } catch (cause) {
    const message = `the server's answer to ${asked.request.method} ${asked.request.path} is not JSON`;
    throw new TransportError(message, { reason: "Decode", wasSent: "maybe", cause });
  }
}

/** Reads the body of a refusal and throws what it says; leaves any other answer alone. */
export async function throwIfRefused(response: ApiResponse, asked: Asked): Promise<void> {
  if (response.status < 400) return;
  const body = await readWhole(response);
  const status = decodeStatus(body.kind === "value" ? body.value : parsed(body.text));
  if (status !== undefined) throw new StatusError(status);
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
