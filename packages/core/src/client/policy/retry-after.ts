// Parses `Retry-After`: seconds, or a date. A date is compared with the server's `Date` header if there is one, so that
// clock differences do not matter.
//
// Only the header is used here. `retryAfterSeconds` in a Status is for people and backoffs.
import { type HttpHeaders, headerValue } from "../../api/transport.ts";

/** Returns how long the server asks to wait; undefined if the header is absent or malformed. */
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
