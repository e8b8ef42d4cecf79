// An error response of the API server: a `Status` object, as an error. Use the predicates
// (`isNotFound(error)`), not the class: they look through `cause`, and use the HTTP code if the reason
// is missing or unknown, as client-go's do.
import { KubeloopError, type RetryHint } from "../base/errors.ts";
import type { Status, StatusCause } from "./generated/types/meta/v1.ts";
import { isJsonObject, type JsonObject } from "./json-value.ts";

/** Kubernetes' reasons. Others occur: aggregated servers may send their own. */
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

// The same request would fail in the same way.
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

/** Returns `json` as a Status if it is well-formed: kind Status in `v1` or `meta.k8s.io/v1`. */
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

/** Returns the StatusError that `error` is, or was caused by. */
export function findStatusError(error: unknown): StatusError | undefined {
  let current = error;
  // The number of steps is limited, because a chain of causes may be circular.
  for (let depth = 0; depth < 16 && current instanceof Error; depth++) {
    if (current instanceof StatusError) return current;
    current = current.cause;
  }
  return undefined;
}

/** Empty if `error` is not a response of the server, or one without a reason. */
export function reasonOf(error: unknown): string {
  return findStatusError(error)?.reason ?? "";
}

/** Returns the first cause of that type. */
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

/** The requested resourceVersion or continue token has expired. */
export function isExpired(error: unknown): boolean {
  return reasonOf(error) === "Expired";
}

/** Expired or Gone: servers have used both to request a new list. */
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

/** The request did not complete in time, and the server asks the client to retry. */
export function isServerTimeout(error: unknown): boolean {
  return reasonOf(error) === "ServerTimeout";
}

export function isInternalError(error: unknown): boolean {
  return hasReasonOrCode(error, "InternalError", 500);
}

/** Also by code, whatever the reason: for example an eviction that a disruption budget prevents. */
export function isTooManyRequests(error: unknown): boolean {
  return reasonOf(error) === "TooManyRequests" || findStatusError(error)?.code === 429;
}

export function isRequestEntityTooLarge(error: unknown): boolean {
  return reasonOf(error) === "RequestEntityTooLarge" || findStatusError(error)?.code === 413;
}

export function isStoreReadError(error: unknown): boolean {
  return reasonOf(error) === "StorageReadError";
}

/** The response was not a Status, for example a proxy's page. */
export function isUnexpectedServerError(error: unknown): boolean {
  return findStatusCause(error, "UnexpectedServerResponse") !== undefined;
}

/** The server has not reached the requested resourceVersion yet. Older servers say so only in the message. */
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

/** Returns how long the server asks to wait before a retry; undefined if it does not say. */
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
