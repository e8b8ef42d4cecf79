// The seam between everything that asks an API server and everything that answers as one. A Transport is a function; the
// embedded server is one, the HTTP client is one, fault injection wraps one.
//
// Requests and responses
// - A response means that the server answered, whatever its status code: 404 and 500 are answers. A Transport rejects only
//   when no answer came: with the signal's reason, or with a TransportError that says whether the request may have been
//   carried out.
// - The signal covers the whole exchange, body included: when it aborts, a body that is being read throws its reason.
//
// Bodies
// - Bytes cross sockets. Values cross nothing: inside one process a request may carry a plain JSON value, and a response
//   may hand out the very objects the server stores.
// - A request's value still belongs to its sender, who must not change it until the response is there; the server copies
//   what it keeps. A response's values are deeply frozen and shared: read them for as long as you like, change them never.
// - A sender who wants values says so (`prefers`); who answers is free to send bytes all the same. Whoever reads must
//   cope with both.
// - Streams are read once, by one reader. `values` carries one watch event each.
//
// Closing
// - Whoever receives a response owns it: read its body to the end, or dispose of it. Disposing ends a stream that is
//   being read, lets go of the connection, and may be done twice. Aborting the signal does the same.
import { KubeloopError } from "../base/errors.ts";

export type Transport = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

export interface ApiRequest {
  /** In capitals: "GET". */
  readonly method: string;
  /** As on the wire, percent-encoded, without query: "/api/v1/namespaces/default/pods". */
  readonly path: string;
  /** Decoded pairs, in order. A name may occur more than once (`command` of an exec). */
  readonly query: Query;
  readonly headers: HttpHeaders;
  readonly body: RequestBody;
  /** Whether the response may hold values instead of bytes. */
  readonly prefers: "bytes" | "values";
  /** The protocol to switch to, for exec, attach and port-forward. */
  readonly upgrade?: string;
}

export type Query = readonly (readonly [name: string, value: string])[];

/** Names in small letters. Several values where a header is repeated (`impersonate-group`, `warning`). */
export type HttpHeaders = { readonly [name: string]: string | readonly string[] };

export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array | AsyncIterable<Uint8Array> }
  | { readonly kind: "value"; readonly value: unknown };

export interface ApiResponse extends AsyncDisposable {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: ResponseBody;
}

export type ResponseBody =
  | { readonly kind: "none" }
  | { readonly kind: "bytes"; readonly bytes: AsyncIterable<Uint8Array> }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "values"; readonly values: AsyncIterable<unknown> }
  | { readonly kind: "upgraded"; readonly protocol: string; readonly connection: Connection };

/** Both directions of what a connection became after an upgrade. */
export interface Connection {
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Waits while the other side is slow. */
  send(bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Says that nothing more will be sent. */
  end(): Promise<void>;
}

/**
 * No answer came, or it broke off. `wasSent` is "no" when the server cannot have seen the request, and "maybe" when it
 * may have been carried out: then only a read can tell.
 */
export class TransportError extends KubeloopError {
  readonly wasSent: "no" | "maybe";

  constructor(
    message: string,
    options: { readonly reason: string; readonly wasSent: "no" | "maybe"; readonly cause?: unknown },
  ) {
    super(message, options);
    this.wasSent = options.wasSent;
  }
}

export const noBody = { kind: "none" } as const;

/** The first value of a header, by its name in small letters. */
export function headerValue(headers: HttpHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === "string" ? value : value?.[0];
}

/** The first value of a query parameter. */
export function queryValue(query: Query, name: string): string | undefined {
  for (const [candidate, value] of query) if (candidate === name) return value;
  return undefined;
}

/** As after the question mark. */
export function printQuery(query: Query): string {
  return query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

/** What follows the question mark, as pairs. */
export function parseQuery(text: string): Query {
  return [...new URLSearchParams(text)];
}

/** A response whose body is one value, already frozen by whoever stores it. */
export function valueResponse(status: number, value: unknown, headers: HttpHeaders = {}): ApiResponse {
  return { status, headers, body: { kind: "value", value }, [Symbol.asyncDispose]: async () => {} };
}

/** A response whose body is there as a whole. */
export function bytesResponse(status: number, bytes: Uint8Array, headers: HttpHeaders = {}): ApiResponse {
  return { status, headers, body: { kind: "bytes", bytes: new WholeBytes(bytes) }, [Symbol.asyncDispose]: nothingToDo };
}

const nothingToDo = async () => {};

/** A stream of one chunk, for whoever can do better with bytes that are all there. */
export class WholeBytes implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield this.bytes;
  }
}

/** All bytes of a stream. Throws a TransportError beyond `maxBytes`. */
export async function collectBytes(
  stream: AsyncIterable<Uint8Array>,
  { maxBytes }: { readonly maxBytes: number },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new TransportError(`body is larger than ${maxBytes} bytes`, { reason: "BodyTooLarge", wasSent: "maybe" });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
