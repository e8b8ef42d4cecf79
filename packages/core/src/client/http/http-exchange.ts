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

/** Throws if this would not be the request it seems to be on the wire. HTTP libraries differ in what they let pass. */
export function checkExchange({ method, path, headers }: HttpExchange): void {
  const complain = (what: string) => {
    throw new TransportError(`${what} cannot be sent`, { reason: "Invalid", wasSent: "no" });
  };
  if (!token.test(method)) complain(`method ${JSON.stringify(method)}`);
  if (!path.startsWith("/") || /[^\u0021-\u00ff]/.test(path)) complain(`path ${JSON.stringify(path)}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!token.test(name)) complain(`header ${JSON.stringify(name)}`);
    if ([value].flat().some((one) => controlCharacter.test(one))) complain(`the value of header ${name}`);
  }
}

/** What those get whose connections are closed under them by the client itself. */
export function closedError(wasSent: "no" | "maybe" = "no"): TransportError {
  return new TransportError("the client was closed", { reason: "Closed", wasSent });
}

/** Each header as HTTP libraries want it: text, or a list of their own. */
export function toLists(headers: HttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
  );
}

export function withoutUndefined(headers: Readonly<Record<string, string | string[] | undefined>>): HttpHeaders {
  const kept: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) kept[name] = value;
  return kept;
}
