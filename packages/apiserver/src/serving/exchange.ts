// One HTTP exchange between a socket and the server, for HTTP/1.1 and HTTP/2 alike: the request is made of what came in, the response is
// written as it comes, as slowly as the client reads it. When the client goes away, the request's signal aborts and nothing stays behind.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import {
  type ApiRequest,
  type ApiResponse,
  noBody,
  parseQuery,
  type RequestBody,
  WholeBytes,
} from "@kubeloop/core/api";

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/** The request as a Transport takes it. Pseudo headers of HTTP/2 are left out. */
export function toApiRequest(incoming: Incoming, readBody: () => AsyncIterable<Uint8Array>): ApiRequest {
  const { url = "/", method = "GET", headers } = incoming;
  const kept: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !name.startsWith(":")) kept[name] = value;
    // The platform joins what is repeated, but a group's name may hold a comma.
    if (name.startsWith("impersonate-")) kept[name] = repeated(incoming, name);
  }
  const body: RequestBody = hasBody(incoming) ? { kind: "bytes", bytes: readBody() } : noBody;
  return { method, ...splitUrl(url), headers: kept, body, prefers: "bytes" };
}

function repeated({ rawHeaders }: Incoming, name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

export function splitUrl(url: string): Pick<ApiRequest, "path" | "query"> {
  const question = url.indexOf("?");
  if (question < 0) return { path: url, query: [] };
  return { path: url.slice(0, question), query: parseQuery(url.slice(question + 1)) };
}

function hasBody({ method, headers, httpVersionMajor }: Incoming): boolean {
  if (method === "GET" || method === "HEAD" || headers["content-length"] === "0") return false;
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined || httpVersionMajor >= 2;
}

export interface WriteOptions {
  readonly isHead: boolean;
  /** Whether the client takes gzip. */
  readonly mayCompress: boolean;
  /** Waited for between two messages of a watch. */
  readonly turn?: () => Promise<void>;
}

/** Writes all of it; resolves when the client has it or has gone. */
export async function writeResponse(
  response: ApiResponse,
  outgoing: Outgoing,
  { isHead, mayCompress, turn }: WriteOptions,
): Promise<void> {
  const { body } = response;
  writeHead(response, outgoing);
  switch (body.kind) {
    case "none":
    case "upgraded":
      end(outgoing);
      return;
    case "value":
      end(outgoing, Buffer.from(JSON.stringify(body.value), "utf8"));
      return;
    case "values":
      throw new TypeError("a socket cannot carry values");
    case "bytes":
      if (isHead) return end(outgoing);
      if (body.bytes instanceof WholeBytes && (!mayCompress || body.bytes.bytes.length <= plainBytes)) {
        // In one piece, headers and all.
        const { length } = body.bytes.bytes;
        outgoing.setHeader("content-length", length);
        end(outgoing, body.bytes.bytes);
        // Small ones fit on any line.
        if (length > plainBytes) await taken(outgoing);
        return;
      }
      await writeStream(mayCompress ? await compressed(body.bytes, outgoing) : body.bytes, outgoing, turn);
  }
}

/** Until the connection has all of it, or is gone. */
function taken(outgoing: Outgoing): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.writableFinished || isGone(outgoing)) return resolve();
    outgoing.once("finish", () => resolve());
    outgoing.once("close", () => resolve());
  });
}

export const uncached = "no-cache, private";

function writeHead({ status, headers }: ApiResponse, outgoing: Outgoing): void {
  outgoing.statusCode = status;
  // Each answer is for who asked: nobody between may keep it, unless it says so itself.
  outgoing.setHeader("cache-control", uncached);
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) outgoing.setHeader(name, typeof value === "string" ? onWire(value) : value.map(onWire));
  }
}

/** Headers go out byte by byte: what is beyond ASCII as the bytes of its UTF-8, as a Go server sends it. */
function onWire(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  return /^[\u0000-\u007f]*$/.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** What a real server sends as it is. */
const plainBytes = 128 * 1024;

/** The same bytes, or their gzip if there are many; looks at no more than it must to tell. */
async function compressed(bytes: AsyncIterable<Uint8Array>, outgoing: Outgoing): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length <= plainBytes) {
    const next = await iterator.next();
    if (next.done === true)
      return (async function* () {
        yield* first;
      })();
    first.push(next.value);
    length += next.value.length;
  }
  outgoing.setHeader("content-encoding", "gzip");
  outgoing.setHeader("vary", "Accept-Encoding");
  const all = (async function* () {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  const { createGzip, constants } = await import("node:zlib");
  // Quick rather than small: it is for lists of megabytes.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // A source that fails, or a reader that goes, ends the other side too.
  return compose(all, gzip);
}

async function* compose(source: AsyncIterable<Uint8Array>, gzip: Duplex): AsyncGenerator<Uint8Array> {
  const { pipeline } = await import("node:stream/promises");
  const { Readable } = await import("node:stream");
  const feeding = pipeline(Readable.from(source), gzip).catch((error: unknown) => {
    gzip.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array;
  } finally {
    gzip.destroy();
    await feeding;
  }
}

/**
 * As it comes, but of a watch one piece a turn of the event loop: asked only then, it has put together what happened meanwhile. With many
 * watchers, most of a message's cost is that of handing it to a socket.
 */
async function writeStream(
  bytes: AsyncIterable<Uint8Array>,
  outgoing: Outgoing,
  turn?: () => Promise<void>,
): Promise<void> {
  const iterator = bytes[Symbol.asyncIterator]();
  try {
    let next = await firstSoon(iterator, outgoing);
    while (!next.done) {
      if (isGone(outgoing) || outgoing.writableEnded) return;
      if (!write(outgoing, next.value)) await drained(outgoing);
      else if (turn !== undefined) await turn();
      next = await iterator.next();
    }
    end(outgoing);
  } finally {
    await iterator.return?.();
  }
}

/** Headers are not held back for a body that takes its time. */
async function firstSoon(iterator: AsyncIterator<Uint8Array>, outgoing: Outgoing): Promise<IteratorResult<Uint8Array>> {
  const first = iterator.next();
  let isThere = false;
  const settled = first.then((result) => {
    isThere = true;
    return result;
  });
  // A turn of the microtask queue or two is all that a body which is ready needs.
  await Promise.race([settled.then(noop, noop), Promise.resolve().then(noop).then(noop).then(noop)]);
  if (!isThere) (outgoing as ServerResponse).flushHeaders?.();
  return await settled;
}

const noop = () => {};

function write(outgoing: Outgoing, chunk: Uint8Array): boolean {
  return (outgoing as ServerResponse).write(chunk);
}

function end(outgoing: Outgoing, chunk?: Uint8Array): void {
  if (outgoing.writableEnded) return;
  if (chunk === undefined) (outgoing as ServerResponse).end();
  else (outgoing as ServerResponse).end(chunk);
}

/**
 * Whether nobody can be written to any more. A response of HTTP/2 has no `destroyed` of its own (only its stream has), emits `close` once,
 * and answers later writes with false: who waits for `drain` or `close` after that waits for ever.
 */
function isGone(outgoing: Outgoing): boolean {
  if ("createPushResponse" in outgoing) {
    const stream = outgoing.stream as ServerHttp2Stream | undefined;
    return stream === undefined || stream.destroyed || stream.closed;
  }
  return outgoing.destroyed;
}

/** Until there is room again, or nobody to write to. */
function drained(outgoing: Outgoing): Promise<void> {
  return new Promise((resolve) => {
    if (isGone(outgoing)) return resolve();
    const settle = () => {
      outgoing.off("drain", settle);
      outgoing.off("close", settle);
      resolve();
    };
    outgoing.on("drain", settle);
    outgoing.on("close", settle);
  });
}
