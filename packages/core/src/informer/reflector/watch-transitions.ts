// Rows for a watch that follows a list: its progress, and what follows when it ends.
//
// A relist is the exception: the cache is kept, and a new list is requested only if nothing else can recover.

import type { ReflectorState } from "./reflector-state.ts";
import {
  backOff,
  isServerUnavailable,
  quietInternalErrorMs,
  reopenWatch,
  shortWatchMs,
  watchedForMs,
} from "./reflector-transitions.ts";
import { isWithin, noteError } from "./retry-window.ts";
import { type Outcome, type Row, row, type Seen } from "./transition-row.ts";

type Events = Seen<"watching", "events">;
type Failed = Seen<"watching", "failed">;
const events = { at: "watching", on: "events" } as const;
const failed = { at: "watching", on: "failed" } as const;
const read = { kind: "read" } as const;

/** Written out, because this runs for every batch, and copying an object with `...` takes forty times as long. */
const watched = ({ state, phase, input }: Events, isOrdered: boolean, resourceVersion: string): Outcome => ({
  state: {
    phase: { at: "watching", startedMs: phase.startedMs, events: phase.events + input.added + input.others, isOrdered },
    resourceVersion,
    isVersionUnavailable: state.isVersionUnavailable,
    isPaged: state.isPaged,
    failures: state.failures,
    healthySinceMs: state.healthySinceMs ?? input.nowMs,
    unstreamableSinceMs: state.unstreamableSinceMs,
    earlyEnds: state.earlyEnds,
    quickEnds: state.quickEnds,
    emptyEnds: 0,
    internalErrors: state.internalErrors,
  },
  command: read,
});
const versionOf = ({ state, input }: Events) => input.resourceVersion || state.resourceVersion;

const hasEvents = ({ phase }: Failed) => phase.events > 0;
// A watch that is lost each time without an event may be lost because of its version: then only a list helps.
const patienceWithEmptyEnds = 3;

const withInternalError = ({ state, input }: Failed): ReflectorState => ({
  ...state,
  internalErrors: noteError(state.internalErrors, input.nowMs, quietInternalErrorMs),
});
const mayRetryInternalError = (seen: Failed) => {
  const { internalErrors } = withInternalError(seen);
  const limitMs = seen.rules.maxInternalErrorRetryMs;
  return internalErrors !== undefined && isWithin(internalErrors, seen.input.nowMs, limitMs);
};

export const watchRows = [
  // Existing objects do not arrive in the order of versions: the version of one says nothing about the others. An event other than ADDED is a
  // change, and so is every event after it.
  row("watch/initial-events", {
    ...events,
    when: ({ phase, input }) => !phase.isOrdered && input.others === 0,
    transition: (seen) => watched(seen, false, seen.state.resourceVersion),
  }),
  row("watch/events", { ...events, transition: (seen) => watched(seen, true, versionOf(seen)) }),

  row("watch/short", {
    at: "watching",
    on: "closed",
    when: ({ state, phase, input }) => phase.events === 0 && watchedForMs(state, input.nowMs) < shortWatchMs,
    transition: (seen) => ({
      ...backOff(seen, "begin"),
      problem: { reason: "VeryShortWatch", message: "watch ended within a second without an event" },
    }),
  }),
  // The watch was open until the server closed it, so it counts as healthy since its start, even without an event.
  row("watch/closed", {
    at: "watching",
    on: "closed",
    transition: (seen) => {
      const healthySinceMs = seen.state.healthySinceMs ?? seen.phase.startedMs;
      return reopenWatch({ ...seen, state: { ...seen.state, healthySinceMs } });
    },
  }),
  row("watch/overdue", {
    at: "watching",
    on: "overdue",
    transition: (seen) => ({
      ...reopenWatch({ ...seen, state: { ...seen.state, healthySinceMs: undefined } }),
      problem: { reason: "WatchOverdue", message: "watch exceeded its timeout and received nothing" },
    }),
  }),

  row("watch/retried", {
    ...failed,
    when: ({ input }) => isServerUnavailable(input),
    transition: (seen) => backOff(seen, "watch"),
  }),
  row("watch/internal-error-retried", {
    ...failed,
    when: (seen) => seen.input.failure === "internal" && seen.input.isInStream && mayRetryInternalError(seen),
    transition: (seen) => reopenWatch({ ...seen, state: withInternalError(seen) }),
  }),
  row("watch/cut", {
    ...failed,
    when: (seen) => seen.input.failure === "lost" && hasEvents(seen),
    transition: reopenWatch,
  }),
  row("watch/lost-too-often", {
    ...failed,
    when: ({ state, input }) => input.failure === "lost" && state.emptyEnds + 1 >= patienceWithEmptyEnds,
    transition: (seen) => backOff(seen, "begin", { emptyEnds: 0 }),
  }),
  row("watch/lost", {
    ...failed,
    when: ({ input }) => input.failure === "lost",
    transition: (seen) => backOff(seen, "watch", { emptyEnds: seen.state.emptyEnds + 1 }),
  }),
  // The version has expired, the watch is forbidden, or another failure that only a list can recover from.
  row("watch/failed", { ...failed, transition: (seen) => backOff(seen, "begin") }),

  row("watch/resync-failed", {
    at: ["watching", "waiting"],
    on: "resync-failed",
    transition: (seen) => backOff(seen, "begin"),
  }),
  // With a delay that grows, because the server may send the same bytes again.
  row("watch/malformed", {
    at: ["watching", "waiting"],
    on: "malformed",
    transition: (seen) => backOff(seen, "begin"),
  }),
] as const satisfies readonly Row[];
