// What to do after an attempt to write an event, decided from what came of it. No clock, no waiting: event-writer.ts acts on it.
//
// - What the server does not have cannot be changed: it is made anew.
// - What exists already, although we only now make it, is ours if an earlier attempt may have been carried out, its answer lost;
//   then it is changed instead. Otherwise somebody else has the name, and another one is chosen.
// - The server busy, broken or out of reach: again, later; a few times.
// - Refused for good: given up. In a namespace that is going away that is no news.
// - Who is about to stop does not wait for another attempt.
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
  /** 12 unless given. */
  readonly maxTries: number;
  /** Between two tries; the first wait is a random part of it. 10 s unless given. */
  readonly retryMs: number;
}

export const defaultWritePolicy: WritePolicy = { maxTries: 12, retryMs: 10_000 };

export interface Attempted {
  readonly verb: WriteVerb;
  /** Those before this one, for this write. */
  readonly tries: number;
  /** An earlier attempt to make it may have been carried out. */
  readonly mayExist: boolean;
  readonly error: unknown;
  readonly isStopping: boolean;
  /** In [0, 1). */
  readonly chance: number;
}

export type AfterFailure =
  /** At once, and so. */
  | { readonly next: "again"; readonly verb: WriteVerb }
  /** At once, under another name. */
  | { readonly next: "rename" }
  | { readonly next: "retry"; readonly delayMs: number; readonly mayExist: boolean }
  | { readonly next: "drop"; readonly why: DropReason; readonly isNews: boolean };

export function afterFailure(attempted: Attempted, policy: WritePolicy): AfterFailure {
  const { verb, mayExist, error, tries } = attempted;
  const isLast = tries + 1 >= policy.maxTries;
  if (!isLast) {
    if (verb === "patch" && isNotFound(error)) return { next: "again", verb: "create" };
    if (verb === "create" && isAlreadyExists(error))
      return mayExist ? { next: "again", verb: "patch" } : { next: "rename" };
  }
  if (!isWorthRetrying(error)) return { next: "drop", why: "refused", isNews: !isNamespaceGoing(error) };
  if (isLast) return { next: "drop", why: "unreachable", isNews: true };
  if (attempted.isStopping) return { next: "drop", why: "stopped", isNews: true };
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

function isNamespaceGoing(error: unknown): boolean {
  return findStatusCause(error, "NamespaceTerminating") !== undefined;
}

/** Whether the server may have done what it was asked before something went wrong. */
function mayBeCarriedOut(error: unknown): boolean {
  if (isTooManyRequests(error)) return false;
  return !(error instanceof TransportError) || error.wasSent !== "no";
}
