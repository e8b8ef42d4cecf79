// One HTTP request and its response, below the Transport: what HTTP/1.1 and HTTP/2 have in common.
import type { Readable } from "node:stream";
import { type HttpHeaders, TransportError } from "../../api/transport.ts";

export interface HttpExchange {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: HttpHeaders;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** How long the server may send nothing, where only silence shows a dead connection. Default: no limit. */
  readonly silenceMs?: number | undefined;
}

export interface HttpResponse {
  readonly protocol: "h2" | "http/1.1";
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly stream: Readable;
  /** Whether a stream that seems to have ended normally was cut off. */
  readonly isCutOff: () => boolean;
  /** Ends the exchange, early if necessary; may be called twice. */
  readonly end: () => void;
}

/**
 * Whether an exchange may be sent once more, without asking the caller, after its kept-alive connection turned out to be dead:
 * the server has not seen it, or repeating it changes nothing. A request body that is a stream cannot be read again.
 */
export function mayRepeat({ method, body }: HttpExchange, error: unknown): boolean {
  if (!(error instanceof TransportError) || error.reason !== "ConnectionLost") return false;
  if (body !== undefined && !(body instanceof Uint8Array)) return false;
  return error.wasSent === "no" || method === "GET" || method === "HEAD";
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
const controlCharacter = /[\u0000-\u001f\u007f]/;
const outsidePath = /[^\u0021-\u00ff]/;

/** Throws if the request would be another one on the wire (request smuggling). HTTP libraries differ in what they check. */
export function checkExchange({ method, path, headers }: HttpExchange): void {
  if (!token.test(method)) throw unsendable(`method ${JSON.stringify(method)}`);
  if (!path.startsWith("/") || outsidePath.test(path)) throw unsendable(`path ${JSON.stringify(path)}`);
  for (const name in headers) {
    if (!token.test(name)) throw unsendable(`header ${JSON.stringify(name)}`);
    const value = headers[name] as string | readonly string[];
    const isBad =
      typeof value === "string" ? controlCharacter.test(value) : value.some((one) => controlCharacter.test(one));
    if (isBad) throw unsendable(`the value of header ${name}`);
  }
}

function unsendable(what: string): TransportError {
  return new TransportError(`${what} cannot be sent`, { reason: "Invalid", wasSent: "no" });
}

/** The error of requests whose connection the client itself closes. */
export function closedError(wasSent: "no" | "maybe" = "no"): TransportError {
  return new TransportError("the client was closed", { reason: "Closed", wasSent });
}

/** Returns the headers as HTTP libraries want them: a string or an array. In a new object, which the caller may extend. */
export function toLists(headers: HttpHeaders): Record<string, string | string[]> {
  const lists: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    lists[name] = typeof value === "string" ? value : [...value];
  }
  return lists;
}

/** Returns the response's headers, without the pseudo-headers of HTTP/2 (`:status`). */
export function withoutUndefined(headers: Readonly<Record<string, string | string[] | undefined>>): HttpHeaders {
  const kept: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && name !== ":status") kept[name] = value;
  }
  return kept;
}
