// The transitions that several rows of the table share: start a list, open a watch, back off. All are pure functions.
import { backoffDelayMs, jittered } from "../../base/index.ts";
import type { FailureClass } from "./failure-class.ts";
import type { ReflectorRules, ReflectorState } from "./reflector-state.ts";
import type { Outcome } from "./transition-row.ts";

/** The page size of Kubernetes' own clients. */
export const usualPageSize = 500;
const minute = 60_000;
export const shortWatchMs = 1000;
/** A watch that has not failed for this long counts as open, even without events: servers send bookmarks about that often. */
export const settledWatchMs = minute;
export const quietInternalErrorMs = minute;

/** What a transition needs of a row's `seen`. */
interface TransitionContext {
  readonly state: ReflectorState;
  readonly input: { readonly nowMs: number; readonly random: number; readonly retryAfterMs?: number | undefined };
  readonly rules: ReflectorRules;
}

/** The server is unavailable at the moment: the same request is sent again later. */
export function isServerUnavailable({ failure }: { readonly failure: FailureClass }): boolean {
  return failure === "busy" || failure === "unreachable";
}

/** The requested version has expired, or the server has not reached it yet: only the newest version can be requested. */
export function isVersionUnavailable(failed: {
  readonly phase: { readonly resourceVersion: string };
  readonly input: { readonly failure: FailureClass };
}): boolean {
  const { phase, input } = failed;
  return (input.failure === "expired" || input.failure === "too-large") && phase.resourceVersion !== "";
}

/** Versions for which a server may return any cached state, so they are not the version of an object that was seen. */
export function isAnyVersion(resourceVersion: string): boolean {
  return resourceVersion === "" || resourceVersion === "0";
}

/**
 * Requests pages only where they cost nothing: a server with a watch cache serves a list at a certain version from the cache only if
 * it is not paged; at "0" it ignores the page size, and at "" it reads from its storage anyway.
 */
export function pageSizeAt(
  resourceVersion: string,
  { state, rules }: Pick<TransitionContext, "state" | "rules">,
): number {
  if (rules.forcedPageSize !== undefined) return rules.forcedPageSize;
  return isAnyVersion(resourceVersion) || state.isPaged ? usualPageSize : 0;
}

/** The version for the list of this cycle: "0" the first time, otherwise not older than what was seen, if that is still available. */
export function listVersion({ isVersionUnavailable, resourceVersion }: ReflectorState): string {
  if (isVersionUnavailable) return "";
  return resourceVersion === "" ? "0" : resourceVersion;
}

export function startList(context: TransitionContext, resourceVersion = listVersion(context.state)): Outcome {
  const pageSize = pageSizeAt(resourceVersion, context);
  return listAt(context.state, resourceVersion, pageSize);
}

export function listAt(state: ReflectorState, resourceVersion: string, pageSize: number): Outcome {
  return {
    state: { ...state, phase: { at: "listing", resourceVersion, pageSize } },
    command: { kind: "list", resourceVersion, pageSize },
  };
}

export function startStream(context: TransitionContext): Outcome {
  const { state, input } = context;
  const resourceVersion = state.isVersionUnavailable ? "" : state.resourceVersion;
  return {
    state: { ...state, phase: { at: "streaming", resourceVersion, startedMs: input.nowMs, events: 0 } },
    command: { kind: "stream", resourceVersion, timeoutSeconds: watchTimeoutSeconds(context) },
  };
}

/** Opens a watch from the version that the last watch, or the list, has reached. */
export function openWatch(context: TransitionContext): Outcome {
  const { state, input } = context;
  const { resourceVersion } = state;
  const isOrdered = !isAnyVersion(resourceVersion);
  return {
    state: { ...state, phase: { at: "watching", startedMs: input.nowMs, events: 0, isOrdered } },
    command: { kind: "watch", resourceVersion, timeoutSeconds: watchTimeoutSeconds(context) },
  };
}

/**
 * Opens a watch again without a delay, unless the previous one also ended quickly: otherwise a server that closes each watch after
 * one event would get a thousand requests a second.
 */
export function reopenWatch(context: TransitionContext): Outcome {
  const { state, input } = context;
  const lastedMs = watchedForMs(state, input.nowMs);
  const quickEnds = lastedMs < shortWatchMs ? state.quickEnds + 1 : 0;
  const next = { ...state, quickEnds, emptyEnds: 0 };
  if (quickEnds < 2) return openWatch({ ...context, state: next });
  return {
    state: { ...next, phase: { at: "waiting", next: "watch" } },
    command: { kind: "wait", delayMs: shortWatchMs - lastedMs },
  };
}

/**
 * Counts a failure and waits. The count resets only after a time without failures: two failures far apart with only
 * retries in between are consecutive failures.
 */
export function backOff(
  context: TransitionContext,
  next: "begin" | "watch",
  changes: Partial<ReflectorState> = {},
): Outcome {
  const { state, input, rules } = context;
  const { backoff } = rules;
  const failures = healthyForMs(state, input.nowMs) >= backoff.resetAfterMs ? 1 : state.failures + 1;
  const delayMs = jittered(backoffDelayMs(backoff, failures), backoff.jitter, { next: () => input.random });
  // A server may ask for a longer delay with Retry-After, up to a limit.
  const askedMs = Math.min(input.retryAfterMs ?? 0, backoff.maxMs * (1 + backoff.jitter));
  return {
    state: { ...state, ...changes, failures, healthySinceMs: undefined, phase: { at: "waiting", next } },
    command: { kind: "wait", delayMs: Math.max(delayMs, askedMs) },
  };
}

/** Returns how long the current watch has been open; 0 if none is. */
export function watchedForMs({ phase }: ReflectorState, nowMs: number): number {
  return phase.at === "watching" ? nowMs - phase.startedMs : 0;
}

function healthyForMs(state: ReflectorState, nowMs: number): number {
  if (state.healthySinceMs !== undefined) return nowMs - state.healthySinceMs;
  const lastedMs = watchedForMs(state, nowMs);
  return lastedMs >= settledWatchMs ? lastedMs : 0;
}

function watchTimeoutSeconds({ input, rules }: TransitionContext): number {
  return Math.floor((rules.minWatchTimeoutMs * (1 + input.random)) / 1000);
}
