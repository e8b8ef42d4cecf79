// Decides from the result of an attempt whether a request is sent again. No clock, no waiting: retry.ts acts on it.
//
// Sent again
// - after 429 or 5xx with Retry-After: the server did not carry out the request;
// - after a broken connection, if the request is safe, or if the server cannot have seen it;
// - a watch that could not be opened because of a broken connection or a timeout.
// Never: a body that can be read only once; a connection that could not be opened at all, because the caller, which has the
// broader view (a reflector, a worker), backs off better than a single request can.
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
  /** Milliseconds until the caller's deadline; Infinity if there is none. */
  readonly leftMs: number;
  /** How long the rate limiter would delay a retry now. */
  readonly throttleMs: number;
  /** Wall time. */
  readonly nowMs: number;
}

export type RetryDecision =
  /** Return the response or throw the error. */
  | { readonly kind: "settle" }
  /** Return a watch that ends immediately, so that the caller reopens it at its version and need not list. */
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

/** Whether a response with this status is retried if it has a Retry-After. */
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

/** A dead kept-alive connection says nothing about the server: the first retry is immediate. */
function delayAfter(error: TransportError, retries: number): number {
  return error.wasSent === "no" && lostReasons.has(error.reason) && retries === 0 ? 0 : lostDelayMs;
}

/** Failures that a watch ignores: a broken connection or a timeout. */
function isQuietForWatch(error: unknown): boolean {
  if (!(error instanceof TransportError)) return false;
  return lostReasons.has(error.reason) || error.reason === "Timeout" || error.cause instanceof TimeoutError;
}
