// The interface between clients and servers. A Transport is a function from a request to a response: the
// embedded server is one, the HTTP client is one, fault injection wraps one.
//
// Requests and responses
// - A response means that the server answered, whatever the status code: 404 and 500 are responses. A Transport rejects only
//   if there is no response: with the signal's reason, or with a TransportError that says whether the request may have been
//   carried out.
// - The signal covers the whole exchange, including the body: when it aborts, reading the body throws its reason.
//
// Bodies
// - Sockets carry bytes. Within one process no bytes are needed: a request may carry a plain JSON value, and a response
//   may contain the objects that the server stores.
// - A request's value belongs to its sender, who must not change it before the response; the server copies
//   what it keeps. A response's values are deeply frozen and shared: they can be read for ever, and never changed.
// - A sender requests values with `prefers`; the server may send bytes nevertheless. Readers must
//   handle both.
// - Streams are read once, by one reader. A `values` stream has one watch event per value.
//
// Closing
// - The receiver of a response owns it: it must read the body to the end, or dispose of it. Disposing ends a stream that is
//   being read, releases the connection, and may be done twice. Aborting the signal does the same.
import { KubeloopError } from "../base/errors.ts";

export type Transport = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

export interface ApiRequest {
  /** In upper case: "GET". */
  readonly method: string;
  /** Percent-encoded, without query: "/api/v1/namespaces/default/pods". */
  readonly path: string;
  /** Decoded pairs, in order. A name may occur more than once (`command` of an exec). */
  readonly query: Query;
  readonly headers: HttpHeaders;
  readonly body: RequestBody;
  /** Whether the response may contain values instead of bytes. */
  readonly prefers: "bytes" | "values";
  /** The protocol to switch to, for exec, attach and port-forward. */
  readonly upgrade?: string;
}

export type Query = readonly (readonly [name: string, value: string])[];

/** Names are in lower case. Several values if a header is repeated (`impersonate-group`, `warning`). */
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

/** Both directions of a connection after an upgrade. */
export interface Connection {
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Waits while the other side is slow. */
  send(bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Ends the outgoing direction. */
  end(): Promise<void>;
}

/**
 * There was no response, or it broke off. `wasSent` is "no" if the server cannot have seen the request, and "maybe" if it
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

/** Returns the first value of a header; the name is in lower case. */
export function headerValue(headers: HttpHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === "string" ? value : value?.[0];
}

/** Returns the first value of a query parameter. */
export function queryValue(query: Query, name: string): string | undefined {
  for (const [candidate, value] of query) if (candidate === name) return value;
  return undefined;
}

/** Prints the part after the question mark. */
export function printQuery(query: Query): string {
  return query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

/** Parses the part after the question mark. */
export function parseQuery(text: string): Query {
  return [...new URLSearchParams(text)];
}

/** Returns a response whose body is one value, which must already be frozen. */
export function valueResponse(status: number, value: unknown, headers: HttpHeaders = {}): ApiResponse {
  return { status, headers, body: { kind: "value", value }, [Symbol.asyncDispose]: async () => {} };
}

/** Returns a response with these bytes as its whole body. */
export function bytesResponse(status: number, bytes: Uint8Array, headers: HttpHeaders = {}): ApiResponse {
  return { status, headers, body: { kind: "bytes", bytes: new WholeBytes(bytes) }, [Symbol.asyncDispose]: nothingToDo };
}

const nothingToDo = async () => {};

/** A stream of one chunk, so that readers can use a complete body without iterating. */
export class WholeBytes implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield this.bytes;
  }
}

/** Returns all bytes of a stream. Throws a TransportError if there are more than `maxBytes`. */
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
