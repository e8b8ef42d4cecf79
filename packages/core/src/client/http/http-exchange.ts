// One request and its answer below the Transport: what HTTP/1.1 and HTTP/2 have in common.
import type { Readable } from "node:stream";
import { type HttpHeaders, TransportError } from "../../api/transport.ts";

export interface HttpExchange {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: HttpHeaders;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** How long the other side may be silent where nothing but silence tells that it has gone; for ever unless given. */
  readonly silenceMs?: number | undefined;
}

export interface HttpAnswer {
  readonly protocol: "h2" | "http/1.1";
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly stream: Readable;
  /** Whether a stream that has ended, as if all were well, was in truth cut off. */
  readonly isCutOff: () => boolean;
  /** Ends the exchange, early if need be; may be called twice. */
  readonly end: () => void;
}

/**
 * Whether an exchange whose kept connection turned out to be dead may be sent once more without asking anybody: the server
 * has not seen it, or seeing it twice changes nothing. What was read from a stream is gone.
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

/** Throws if this would not be the request it seems to be on the wire. HTTP libraries differ in what they let pass. */
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

/** What those get whose connections are closed under them by the client itself. */
export function closedError(wasSent: "no" | "maybe" = "no"): TransportError {
  return new TransportError("the client was closed", { reason: "Closed", wasSent });
}

/** Each header as HTTP libraries want it: text, or a list of their own. In a new object, which the caller may add to. */
export function toLists(headers: HttpHeaders): Record<string, string | string[]> {
  const lists: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    lists[name] = typeof value === "string" ? value : [...value];
  }
  return lists;
}

/** Headers as they were answered, without those of HTTP/2 that are none (`:status`). */
export function withoutUndefined(headers: Readonly<Record<string, string | string[] | undefined>>): HttpHeaders {
  const kept: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && name !== ":status") kept[name] = value;
  }
  return kept;
}
