// Converts Node's request into an ApiRequest, and sends an ApiResponse as Node's response. Bodies are streamed, with back-pressure. If a body
// is larger than allowed, reading it throws; if the content-length is already too large, it throws before anything is read.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  type ApiRequest,
  type ApiResponse,
  type HttpHeaders,
  newRequestEntityTooLarge,
  newStatusError,
  noBody,
  parseQuery,
  type RequestBody,
  WholeBytes,
} from "../../api/index.ts";

export function toApiRequest(message: IncomingMessage, { maxBytes }: { readonly maxBytes: number }): ApiRequest {
  const target = message.url ?? "/";
  // A proxy may send an absolute URL.
  const local = target.startsWith("/") ? target : target.replace(/^[a-z]+:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  return {
    method: message.method ?? "GET",
    path: path === "" ? "/" : path,
    query: mark < 0 ? [] : parseQuery(local.slice(mark + 1)),
    headers: headersOf(message),
    body: bodyOf(message, maxBytes),
    prefers: "bytes",
  };
}

function headersOf(message: IncomingMessage): HttpHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(message.headers)) if (value !== undefined) headers[name] = value;
  return headers;
}

function bodyOf(message: IncomingMessage, maxBytes: number): RequestBody {
  const length = message.headers["content-length"];
  const hasBody = message.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  return hasBody ? { kind: "bytes", bytes: limited(message, maxBytes) } : noBody;
}

async function* limited(message: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = () => newRequestEntityTooLarge(`limit is ${maxBytes}`);
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  let length = 0;
  // A handler that stops reading still has to send its response, so the connection must stay open.
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    yield chunk;
  }
}

/** Writes the response and waits until it was handed over to the operating system. Throws if the signal aborts. */
export async function sendAnswer(answer: ApiResponse, response: ServerResponse, signal: AbortSignal): Promise<void> {
  await using owned = answer;
  const { body } = owned;
  if (body.kind === "upgraded" || body.kind === "values") {
    const message = `an answer of kind ${body.kind} cannot be sent here`;
    throw newStatusError({ code: 501, reason: "", message });
  }
  for (const [name, value] of Object.entries(owned.headers)) {
    response.setHeader(name, typeof value === "string" ? value : [...value]);
  }
  if (body.kind === "value" && !response.hasHeader("content-type")) {
    response.setHeader("content-type", "application/json");
  }
  response.writeHead(owned.status);
  // Headers are not held back for a body that takes its time.
  if (body.kind === "bytes" && !(body.bytes instanceof WholeBytes)) response.flushHeaders();
  if (body.kind === "value") await write(response, Buffer.from(JSON.stringify(body.value)), signal);
  if (body.kind === "bytes") for await (const chunk of body.bytes) await write(response, chunk, signal);
  const finished = once(response, "finish", { signal });
  response.end();
  await finished;
}

/** The same on a connection that was handed over for an upgrade; it is closed afterwards. */
export async function sendLastAnswer(
  answer: ApiResponse,
  request: IncomingMessage,
  socket: Socket,
  signal: AbortSignal,
): Promise<void> {
  const { ServerResponse } = await import("node:http");
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  await sendAnswer(answer, response, signal);
  response.detachSocket(socket);
  await new Promise<void>((resolve) => {
    socket.once("close", resolve);
    socket.end(() => resolve());
  });
}

async function write(response: ServerResponse, chunk: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!response.write(chunk)) await once(response, "drain", { signal });
}
