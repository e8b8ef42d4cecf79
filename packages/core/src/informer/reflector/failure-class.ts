// Classifies a failure: besides Retry-After, the class is all that the reflector's table uses of an error. The predicates look through causes, so a
// custom source may wrap the errors of its client.
import {
  findStatusError,
  isBadRequest,
  isForbidden,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotFound,
  isResourceExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  TransportError,
} from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import { WatchDecodeError } from "../../client/index.ts";

export type FailureClass =
  /** 410: the resourceVersion, or a continue token, has expired. */
  | "expired"
  /** The server has not reached that resourceVersion yet. */
  | "too-large"
  /** 429. */
  | "busy"
  /** No connection was made: no server has seen the request. */
  | "unreachable"
  /** 400, 405, 422: the server does not know what was requested, or rejects the form of the request. */
  | "unsupported"
  /** 401, 403, 404: an operator has to fix it. */
  | "denied"
  | "internal"
  /** The connection broke, or was silent for too long. */
  | "lost"
  /** The store or its transform rejected the server's data. */
  | "store"
  | "other";

/** The store or its transform threw an error. */
export class StoreFailure extends KubeloopError {
  constructor(what: string, cause: unknown) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { reason: "StoreFailed", cause });
  }
}

const unreachableReasons: ReadonlySet<string> = new Set(["ConnectionRefused", "ConnectFailed", "HostNotFound"]);
const lostReasons: ReadonlySet<string> = new Set(["ConnectionLost", "ConnectionReset", "Silent", "Timeout"]);
const unreachableCodes: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);
const lostCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT"]);

export function classifyFailure(error: unknown): FailureClass {
  if (error instanceof StoreFailure) return "store";
  return findStatusError(error) === undefined ? classifyConnection(error) : classifyStatus(error);
}

function classifyStatus(error: unknown): FailureClass {
  if (isResourceExpired(error)) return "expired";
  if (isTooLargeResourceVersion(error)) return "too-large";
  if (isTooManyRequests(error)) return "busy";
  if (isUnauthorized(error) || isForbidden(error) || isNotFound(error)) return "denied";
  if (isBadRequest(error) || isInvalid(error) || isMethodNotSupported(error)) return "unsupported";
  return isInternalError(error) ? "internal" : "other";
}

function classifyConnection(error: unknown): FailureClass {
  let current = error;
  // The number of steps is limited, because a chain of causes may be circular.
  for (let depth = 0; depth < 16 && current instanceof Error; depth++) {
    if (current instanceof TransportError) {
      if (unreachableReasons.has(current.reason)) return "unreachable";
      if (lostReasons.has(current.reason)) return "lost";
    }
    if (current instanceof WatchDecodeError && current.reason === "UnexpectedEnd") return "lost";
    // Custom sources may throw errors of Node.
    const code = "code" in current ? current.code : undefined;
    if (unreachableCodes.has(code)) return "unreachable";
    if (lostCodes.has(code)) return "lost";
    current = current.cause;
  }
  return "other";
}
