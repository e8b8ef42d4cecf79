// The steps that rows of the table have in common: begin a list, open a watch, back off. Each is a value in, a value out.
import { backoffDelayMs, jittered } from "../../base/index.ts";
import type { FailureClass } from "./failure-class.ts";
import type { Outcome } from "./reflector-row.ts";
import type { ReflectorRules, ReflectorState } from "./reflector-state.ts";

/** What Kubernetes' own clients ask for. */
export const usualPageSize = 500;
const minute = 60_000;
export const shortWatchMs = 1000;
/** A watch that has not failed for so long is open, whether it said something or not: servers send bookmarks as often. */
export const settledWatchMs = minute;
export const quietInternalErrorMs = minute;

/** What a move needs of a row's `seen`. */
interface Moving {
  readonly state: ReflectorState;
  readonly input: { readonly nowMs: number; readonly random: number; readonly retryAfterMs?: number | undefined };
  readonly rules: ReflectorRules;
}

/** The server answers no request at the moment: what was asked is asked again, later. */
export function isServerUnavailable({ failure }: { readonly failure: FailureClass }): boolean {
  return failure === "busy" || failure === "unreachable";
}

/** The version that was asked for has expired, or this server has not seen it yet: only the newest is left to ask for. */
export function isVersionUnavailable(failed: {
  readonly phase: { readonly resourceVersion: string };
  readonly input: { readonly failure: FailureClass };
}): boolean {
  const { phase, input } = failed;
  return (input.failure === "expired" || input.failure === "too-large") && phase.resourceVersion !== "";
}

/** Versions at which a server may answer with whatever it has at hand: not the version of anything seen. */
export function isAnyVersion(resourceVersion: string): boolean {
  return resourceVersion === "" || resourceVersion === "0";
}

/**
 * Pages only where they cost nothing: a server with a cache takes a list at a certain version from there only when it is
 * not asked for pages; at "0" it ignores them, and at "" it goes to its storage anyway.
 */
export function pageSizeAt(resourceVersion: string, { state, rules }: Pick<Moving, "state" | "rules">): number {
  if (rules.forcedPageSize !== undefined) return rules.forcedPageSize;
  return isAnyVersion(resourceVersion) || state.isPaged ? usualPageSize : 0;
}

/** Where a list of this cycle begins: anywhere the first time, else no earlier than what was seen, if that is still there. */
export function listVersion({ isVersionUnavailable, resourceVersion }: ReflectorState): string {
  if (isVersionUnavailable) return "";
  return resourceVersion === "" ? "0" : resourceVersion;
}

export function startList(moving: Moving, resourceVersion = listVersion(moving.state)): Outcome {
  const pageSize = pageSizeAt(resourceVersion, moving);
  return listAt(moving.state, resourceVersion, pageSize);
}

export function listAt(state: ReflectorState, resourceVersion: string, pageSize: number): Outcome {
  return {
    state: { ...state, phase: { at: "listing", resourceVersion, pageSize } },
    command: { kind: "list", resourceVersion, pageSize },
  };
}

export function startStream(moving: Moving): Outcome {
  const { state, input } = moving;
  const resourceVersion = state.isVersionUnavailable ? "" : state.resourceVersion;
  return {
    state: { ...state, phase: { at: "streaming", resourceVersion, startedMs: input.nowMs, events: 0 } },
    command: { kind: "stream", resourceVersion, timeoutSeconds: watchTimeoutSeconds(moving) },
  };
}

/** A watch from where the last one, or the list, has come to. */
export function openWatch(moving: Moving): Outcome {
  const { state, input } = moving;
  const { resourceVersion } = state;
  const isOrdered = !isAnyVersion(resourceVersion);
  return {
    state: { ...state, phase: { at: "watching", startedMs: input.nowMs, events: 0, isOrdered } },
    command: { kind: "watch", resourceVersion, timeoutSeconds: watchTimeoutSeconds(moving) },
  };
}

/**
 * Watches again without a pause. Not when the one before ended as quickly: a server that answers each watch with one event
 * and closes it would be asked a thousand times a second.
 */
export function reopenWatch(moving: Moving): Outcome {
  const { state, input } = moving;
  const lastedMs = watchedForMs(state, input.nowMs);
  const quickEnds = lastedMs < shortWatchMs ? state.quickEnds + 1 : 0;
  const next = { ...state, quickEnds, emptyEnds: 0 };
  if (quickEnds < 2) return openWatch({ ...moving, state: next });
  return {
    state: { ...next, phase: { at: "waiting", next: "watch" } },
    command: { kind: "wait", delayMs: shortWatchMs - lastedMs },
  };
}

/**
 * Counts a failure and waits. The count begins anew only after a time without trouble: two failures far apart with nothing
 * but trying in between are two in a row.
 */
export function backOff(moving: Moving, next: "begin" | "watch", changes: Partial<ReflectorState> = {}): Outcome {
  const { state, input, rules } = moving;
  const { backoff } = rules;
  const failures = healthyForMs(state, input.nowMs) >= backoff.resetAfterMs ? 1 : state.failures + 1;
  const delayMs = jittered(backoffDelayMs(backoff, failures), backoff.jitter, { next: () => input.random });
  // A server may ask for more time, but not for ever.
  const askedMs = Math.min(input.retryAfterMs ?? 0, backoff.maxMs * (1 + backoff.jitter));
  return {
    state: { ...state, ...changes, failures, healthySinceMs: undefined, phase: { at: "waiting", next } },
    command: { kind: "wait", delayMs: Math.max(delayMs, askedMs) },
  };
}

/** How long the watch that is open has been; nothing when none is. */
export function watchedForMs({ phase }: ReflectorState, nowMs: number): number {
  return phase.at === "watching" ? nowMs - phase.startedMs : 0;
}

function healthyForMs(state: ReflectorState, nowMs: number): number {
  if (state.healthySinceMs !== undefined) return nowMs - state.healthySinceMs;
  const lastedMs = watchedForMs(state, nowMs);
  return lastedMs >= settledWatchMs ? lastedMs : 0;
}

function watchTimeoutSeconds({ input, rules }: Moving): number {
  return Math.floor((rules.minWatchTimeoutMs * (1 + input.random)) / 1000);
}
