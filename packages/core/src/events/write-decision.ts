// Decides what to do after a failed attempt to write an event. No clock, no waiting: event-writer.ts acts on the decision.
//
// - A patch of an event that the server does not have: create it.
// - A create of an event that exists: if an earlier attempt may have been carried out and only its response was lost, the event is ours, and
//   it is patched. Otherwise the name is taken by another event, and a new name is chosen.
// - The server is busy, broken or unreachable: retry later, a limited number of times.
// - The server rejects the event permanently: drop it. In a terminating namespace that is expected, so it is not worth a warning.
// - The writer is stopping: do not wait for another attempt.
import {
  findStatusCause,
  findStatusError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isTooManyRequests,
  retryAfterMs,
  TransportError,
} from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";

export type WriteVerb = "create" | "patch";

export type DropReason = "full" | "spam" | "refused" | "unreachable" | "stopped";

export interface WritePolicy {
  /** Default: 12. */
  readonly maxTries: number;
  /** The delay between two tries; the first delay is a random part of it. Default: 10 s. */
  readonly retryMs: number;
}

export const defaultWritePolicy: WritePolicy = { maxTries: 12, retryMs: 10_000 };

export interface Attempted {
  readonly verb: WriteVerb;
  /** The tries of this write before this one. */
  readonly tries: number;
  /** An earlier create may have been carried out. */
  readonly mayExist: boolean;
  readonly error: unknown;
  readonly isStopping: boolean;
  /** In [0, 1). */
  readonly chance: number;
}

export type AfterFailure =
  /** Retry immediately, with this verb. */
  | { readonly next: "again"; readonly verb: WriteVerb }
  /** Retry immediately, under another name. */
  | { readonly next: "rename" }
  | { readonly next: "retry"; readonly delayMs: number; readonly mayExist: boolean }
  | { readonly next: "drop"; readonly why: DropReason; readonly isUnexpected: boolean };

export function decideAfterFailure(attempted: Attempted, policy: WritePolicy): AfterFailure {
  const { verb, mayExist, error, tries } = attempted;
  const isLast = tries + 1 >= policy.maxTries;
  if (!isLast) {
    if (verb === "patch" && isNotFound(error)) return { next: "again", verb: "create" };
    if (verb === "create" && isAlreadyExists(error))
      return mayExist ? { next: "again", verb: "patch" } : { next: "rename" };
  }
  if (!isWorthRetrying(error)) return { next: "drop", why: "refused", isUnexpected: !isNamespaceTerminating(error) };
  if (isLast) return { next: "drop", why: "unreachable", isUnexpected: true };
  if (attempted.isStopping) return { next: "drop", why: "stopped", isUnexpected: true };
  const waitMs = tries === 0 ? policy.retryMs * attempted.chance : policy.retryMs;
  const delayMs = Math.max(waitMs, retryAfterMs(error) ?? 0);
  return { next: "retry", delayMs, mayExist: mayExist || (verb === "create" && mayBeCarriedOut(error)) };
}

function isWorthRetrying(error: unknown): boolean {
  const status = findStatusError(error);
  if (status !== undefined) {
    const isFinal = status.code >= 400 && status.code < 500;
    return !isFinal || isTooManyRequests(error) || (isConflict(error) && !isAlreadyExists(error));
  }
  return !(error instanceof KubeloopError) || error.retry !== "never";
}

function isNamespaceTerminating(error: unknown): boolean {
  return findStatusCause(error, "NamespaceTerminating") !== undefined;
}

/** Whether the server may have carried out the request before the failure. */
function mayBeCarriedOut(error: unknown): boolean {
  if (isTooManyRequests(error)) return false;
  return !(error instanceof TransportError) || error.wasSent !== "no";
}
