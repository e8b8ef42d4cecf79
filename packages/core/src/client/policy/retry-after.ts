// Reads `Retry-After`: seconds, or a date. Dates are the server's, so they are compared with the server's own `Date` where
// it sends one; clocks that differ then do not matter.
//
// Only the header counts. A Status may carry `retryAfterSeconds` too; it tells people and back-offs, not this layer.
import { type HttpHeaders, headerValue } from "../../api/transport.ts";

/** How long the server asks to wait; undefined when it does not ask, or not so that it can be understood. */
export function retryAfterHeaderMs(headers: HttpHeaders, nowMs: number): number | undefined {
  const text = headerValue(headers, "retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) {
    const seconds = Number(text);
    return Number.isSafeInteger(seconds) ? seconds * 1000 : undefined;
  }
  const dateMs = parseHttpDate(text);
  if (dateMs === undefined) return undefined;
  return Math.max(0, dateMs - (parseHttpDate(headerValue(headers, "date") ?? "") ?? nowMs));
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function parseHttpDate(text: string): number | undefined {
  const dateMs = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
