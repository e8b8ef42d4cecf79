// What kind of failure it was: all the reflector's table needs to know of an error. Predicates look through causes, so a
// source of one's own may wrap what its client threw.
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
  /** 410: the version, or a continue token, is no longer there. */
  | "expired"
  /** The server has not come to that version yet. */
  | "too-large"
  /** 429. */
  | "busy"
  /** No connection could be made: nobody has seen the request. */
  | "unreachable"
  /** The server does not know what was asked for, or does not like how. */
  | "unsupported"
  /** 401, 403, 404: someone has to do something about it. */
  | "denied"
  | "internal"
  /** The connection broke, or nothing was heard on it for too long. */
  | "lost"
  /** The store, or its transform, did not take what the server sent. */
  | "store"
  | "other";

/** The store, or its transform, threw. */
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
  // Bounded, because a chain of causes may be a ring.
  for (let depth = 0; depth < 16 && current instanceof Error; depth++) {
    if (current instanceof TransportError) {
      if (unreachableReasons.has(current.reason)) return "unreachable";
      if (lostReasons.has(current.reason)) return "lost";
    }
    if (current instanceof WatchDecodeError && current.reason === "UnexpectedEnd") return "lost";
    // Sources of one's own throw what Node threw.
    const code = "code" in current ? current.code : undefined;
    if (unreachableCodes.has(code)) return "unreachable";
    if (lostCodes.has(code)) return "lost";
    current = current.cause;
  }
  return "other";
}
