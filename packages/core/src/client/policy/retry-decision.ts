// Whether a request is sent again, decided from what came of the last attempt. No clock, no waiting: retry.ts acts on it.
//
// Sent again
// - an answer 429 or 5xx, when it says after how long: the server did not carry the request out;
// - a connection that broke, when the request is safe, or when the server cannot have seen it;
// - a watch that could not be opened because a connection broke or something timed out.
// Never: a body that can be read only once; a connection that could not be made at all, since the one who waits and looks
// at the whole (a reflector, a worker) backs off better than one request can.
import { type ApiRequest, type ApiResponse, TransportError } from "../../api/transport.ts";
import { TimeoutError } from "../../base/index.ts";
import { isReplayable, isSafe, isWatch } from "./request-traits.ts";
import { retryAfterHeaderMs } from "./retry-after.ts";

export type AttemptOutcome =
  | { readonly kind: "answer"; readonly response: Pick<ApiResponse, "status" | "headers"> }
  | { readonly kind: "failure"; readonly error: unknown };

export interface Attempted {
  readonly request: ApiRequest;
  readonly outcome: AttemptOutcome;
  /** Attempts before this one. */
  readonly retries: number;
  readonly maxRetries: number;
  /** Until the caller's deadline; Infinity when there is none. */
  readonly leftMs: number;
  /** How long a rate limiter would make a retry wait now. */
  readonly throttleMs: number;
  /** Wall time. */
  readonly nowMs: number;
}

export type RetryDecision =
  /** Hand out what there is. */
  | { readonly kind: "settle" }
  /** Hand out a watch that ends at once: who watches is to watch again from where it was, and need not list. */
  | { readonly kind: "empty-watch" }
  | { readonly kind: "retry"; readonly delayMs: number };

const settle: RetryDecision = { kind: "settle" };
const lostDelayMs = 1000;

const lostReasons: ReadonlySet<string> = new Set(["ConnectionLost", "ConnectionReset"]);
const unreachableReasons: ReadonlySet<string> = new Set([
  "ConnectionRefused",
  "ConnectFailed",
  "HostNotFound",
  "Closed",
]);

export function decideRetry(seen: Attempted): RetryDecision {
  const { request, outcome } = seen;
  const ending: RetryDecision =
    outcome.kind === "failure" && isWatch(request) && isQuietForWatch(outcome.error) ? { kind: "empty-watch" } : settle;
  if (seen.retries >= seen.maxRetries || !isReplayable(request)) return ending;
  const delayMs =
    outcome.kind === "answer" ? answerDelayMs(outcome.response, seen.nowMs) : failureDelayMs(outcome.error, seen);
  if (delayMs === undefined || Math.max(delayMs, seen.throttleMs) >= seen.leftMs) return ending;
  return { kind: "retry", delayMs };
}

function answerDelayMs(
  { status, headers }: Pick<ApiResponse, "status" | "headers">,
  nowMs: number,
): number | undefined {
  return isRepeatable(status) ? retryAfterHeaderMs(headers, nowMs) : undefined;
}

/** Whether an answer with this status may say that the request is to be sent again. */
export function isRepeatable(status: number): boolean {
  return status === 429 || status >= 500;
}

function failureDelayMs(error: unknown, { request, retries }: Attempted): number | undefined {
  if (!(error instanceof TransportError)) return undefined;
  if (isWatch(request) && isQuietForWatch(error)) return delayAfter(error, retries);
  if (unreachableReasons.has(error.reason)) return undefined;
  const isHarmless = error.wasSent === "no" || (isSafe(request) && lostReasons.has(error.reason));
  return isHarmless ? delayAfter(error, retries) : undefined;
}

/** A kept connection that turns out to be dead says nothing about the server: the first time another is tried at once. */
function delayAfter(error: TransportError, retries: number): number {
  return error.wasSent === "no" && lostReasons.has(error.reason) && retries === 0 ? 0 : lostDelayMs;
}

/** What a watch shrugs off: a connection that broke, or something that took too long. */
function isQuietForWatch(error: unknown): boolean {
  if (!(error instanceof TransportError)) return false;
  return lostReasons.has(error.reason) || error.reason === "Timeout" || error.cause instanceof TimeoutError;
}
