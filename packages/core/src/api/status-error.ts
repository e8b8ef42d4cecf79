// An answer from the API server that is not what was asked for: a `Status` object, as an error. Ask the predicates
// (`isNotFound(error)`), not the class: they look through `cause`, and fall back on the HTTP code when a server's reason
// is missing or unknown, as client-go's do.
import { KubeloopError, type RetryHint } from "../base/errors.ts";
import type { Status, StatusCause } from "./generated/types/meta/v1.ts";
import { isJsonObject, type JsonObject } from "./json-value.ts";

/** The reasons Kubernetes knows. Others occur: aggregated servers may send their own. */
export const statusReasons = [
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Invalid",
  "ServerTimeout",
  "StorageReadError",
  "Timeout",
  "TooManyRequests",
  "BadRequest",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "Expired",
  "ServiceUnavailable",
] as const;
export type StatusReason = (typeof statusReasons)[number];

const knownReasons: ReadonlySet<string> = new Set(statusReasons);

// The same request would meet the same refusal.
const finalReasons: ReadonlySet<string> = new Set<StatusReason>([
  "BadRequest",
  "Invalid",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
]);

export class StatusError extends KubeloopError {
  readonly status: Status;

  constructor(status: Status, options: { readonly cause?: unknown } = {}) {
    const reason = status.reason ?? "";
    super(status.message ?? "", { reason, retry: retryHint(reason), ...options });
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 0;
  }

  get details(): Status["details"] {
    return this.status.details;
  }
}

function retryHint(reason: string): RetryHint {
  return finalReasons.has(reason) ? "never" : "backoff";
}

/** `json` as a Status, when it is a well-formed one: of kind Status in `v1` or `meta.k8s.io/v1`. */
export function decodeStatus(json: unknown): Status | undefined {
  if (!isJsonObject(json) || json["kind"] !== "Status") return undefined;
  if (json["apiVersion"] !== "v1" && json["apiVersion"] !== "meta.k8s.io/v1") return undefined;
  const details = json["details"];
  const isWell =
    isOptional(json["code"], "number") &&
    isOptional(json["message"], "string") &&
    isOptional(json["reason"], "string") &&
    (details === undefined || (isJsonObject(details) && isWellFormed(details)));
  return isWell ? (json as unknown as Status) : undefined;
}

function isWellFormed(details: JsonObject): boolean {
  const causes = details["causes"];
  return (
    isOptional(details["retryAfterSeconds"], "number") &&
    (causes === undefined || (Array.isArray(causes) && causes.every(isJsonObject)))
  );
}

function isOptional(json: unknown, type: "number" | "string"): boolean {
  return json === undefined || typeof json === type;
}

/** The StatusError that `error` is, or was caused by. */
export function findStatusError(error: unknown): StatusError | undefined {
  let current = error;
  // Bounded, because a chain of causes may be a ring.
  for (let depth = 0; depth < 16 && current instanceof Error; depth++) {
    if (current instanceof StatusError) return current;
    current = current.cause;
  }
  return undefined;
}

/** Empty when `error` is no answer of the server, or one without a reason. */
export function reasonOf(error: unknown): string {
  return findStatusError(error)?.reason ?? "";
}

/** The first cause of that type. */
export function findStatusCause(error: unknown, type: string): StatusCause | undefined {
  return findStatusError(error)?.details?.causes?.find((cause) => cause.reason === type);
}

export function isNotFound(error: unknown): boolean {
  return hasReasonOrCode(error, "NotFound", 404);
}

export function isAlreadyExists(error: unknown): boolean {
  return reasonOf(error) === "AlreadyExists";
}

/** The object changed in between, or its state does not allow the request. */
export function isConflict(error: unknown): boolean {
  return hasReasonOrCode(error, "Conflict", 409);
}

export function isInvalid(error: unknown): boolean {
  return hasReasonOrCode(error, "Invalid", 422);
}

export function isGone(error: unknown): boolean {
  return hasReasonOrCode(error, "Gone", 410);
}

/** The resource version or continue token asked for is no longer there. */
export function isExpired(error: unknown): boolean {
  return reasonOf(error) === "Expired";
}

/** Expired or Gone: servers have used both to say "list again". */
export function isResourceExpired(error: unknown): boolean {
  return isExpired(error) || isGone(error);
}

export function isNotAcceptable(error: unknown): boolean {
  return hasReasonOrCode(error, "NotAcceptable", 406);
}

export function isUnsupportedMediaType(error: unknown): boolean {
  return hasReasonOrCode(error, "UnsupportedMediaType", 415);
}

export function isMethodNotSupported(error: unknown): boolean {
  return hasReasonOrCode(error, "MethodNotAllowed", 405);
}

export function isServiceUnavailable(error: unknown): boolean {
  return hasReasonOrCode(error, "ServiceUnavailable", 503);
}

export function isBadRequest(error: unknown): boolean {
  return hasReasonOrCode(error, "BadRequest", 400);
}

export function isUnauthorized(error: unknown): boolean {
  return hasReasonOrCode(error, "Unauthorized", 401);
}

export function isForbidden(error: unknown): boolean {
  return hasReasonOrCode(error, "Forbidden", 403);
}

export function isTimeout(error: unknown): boolean {
  return hasReasonOrCode(error, "Timeout", 504);
}

/** The server knows that the request did not complete in time and asks to try again. */
export function isServerTimeout(error: unknown): boolean {
  return reasonOf(error) === "ServerTimeout";
}

export function isInternalError(error: unknown): boolean {
  return hasReasonOrCode(error, "InternalError", 500);
}

/** By code too, whatever the reason: an eviction refused by a budget is one. */
export function isTooManyRequests(error: unknown): boolean {
  return reasonOf(error) === "TooManyRequests" || findStatusError(error)?.code === 429;
}

export function isRequestEntityTooLarge(error: unknown): boolean {
  return reasonOf(error) === "RequestEntityTooLarge" || findStatusError(error)?.code === 413;
}

export function isStoreReadError(error: unknown): boolean {
  return reasonOf(error) === "StorageReadError";
}

/** The answer was not a Status: a proxy's, perhaps. */
export function isUnexpectedServerError(error: unknown): boolean {
  return findStatusCause(error, "UnexpectedServerResponse") !== undefined;
}

/** The server has not seen the resource version asked for yet. Older servers say so in words only. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (findStatusCause(error, "ResourceVersionTooLarge") !== undefined) return true;
  if (!isTimeout(error)) return false;
  const status = findStatusError(error);
  const words = "Too large resource version";
  return (
    status?.details?.causes?.some((cause) => cause.message === words) === true ||
    status?.message.includes(words) === true
  );
}

/** How long the server asks to wait before another try; undefined when it does not say. */
export function retryAfterMs(error: unknown): number | undefined {
  const status = findStatusError(error);
  if (status?.details === undefined) return undefined;
  const seconds = status.details.retryAfterSeconds ?? 0;
  return seconds > 0 || status.reason === "ServerTimeout" ? seconds * 1000 : undefined;
}

function hasReasonOrCode(error: unknown, reason: StatusReason, code: number): boolean {
  const status = findStatusError(error);
  if (status === undefined) return false;
  return status.reason === reason || (status.code === code && !knownReasons.has(status.reason));
}
