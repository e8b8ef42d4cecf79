// Rows for a watch that follows a list: how far it has come, and what follows when it ends.
//
// A relist is the exception: what is still known is kept, and only what cannot be known otherwise is asked for again.
import {
  backOff,
  isServerUnavailable,
  quietInternalErrorMs,
  reopenWatch,
  shortWatchMs,
  watchedForMs,
} from "./reflector-moves.ts";
import { type Outcome, type Row, row, type Seen } from "./reflector-row.ts";
import type { ReflectorState } from "./reflector-state.ts";
import { isWithin, noteError } from "./retry-window.ts";

type Events = Seen<"watching", "events">;
type Failed = Seen<"watching", "failed">;
const events = { at: "watching", on: "events" } as const;
const failed = { at: "watching", on: "failed" } as const;
const read = { kind: "read" } as const;

/** Written out: this happens with every batch, and copying an object by `...` takes forty times as long. */
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
// A watch that is lost each time without a word may be lost because of where it begins: then only a list gets past it.
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
  // What was there before comes in no order of versions: the version of one says nothing about the others. Anything but an Added is news, and
  // so is all that follows it.
  row("watch/initial-events", {
    ...events,
    when: ({ phase, input }) => !phase.isOrdered && input.others === 0,
    move: (seen) => watched(seen, false, seen.state.resourceVersion),
  }),
  row("watch/events", { ...events, move: (seen) => watched(seen, true, versionOf(seen)) }),

  row("watch/short", {
    at: "watching",
    on: "closed",
    when: ({ state, phase, input }) => phase.events === 0 && watchedForMs(state, input.nowMs) < shortWatchMs,
    move: (seen) => ({
      ...backOff(seen, "begin"),
      complaint: { reason: "VeryShortWatch", message: "watch ended within a second and without an event" },
    }),
  }),
  // It was open all the time, and is as healthy as a watch gets on which nothing happens.
  row("watch/closed", {
    at: "watching",
    on: "closed",
    move: (seen) => {
      const healthySinceMs = seen.state.healthySinceMs ?? seen.phase.startedMs;
      return reopenWatch({ ...seen, state: { ...seen.state, healthySinceMs } });
    },
  }),
  row("watch/overdue", {
    at: "watching",
    on: "overdue",
    move: (seen) => ({
      ...reopenWatch({ ...seen, state: { ...seen.state, healthySinceMs: undefined } }),
      complaint: { reason: "WatchOverdue", message: "watch outlived its time and nothing was heard on it" },
    }),
  }),

  row("watch/retried", {
    ...failed,
    when: ({ input }) => isServerUnavailable(input),
    move: (seen) => backOff(seen, "watch"),
  }),
  row("watch/internal-error-retried", {
    ...failed,
    when: (seen) => seen.input.failure === "internal" && seen.input.isInStream && mayRetryInternalError(seen),
    move: (seen) => reopenWatch({ ...seen, state: withInternalError(seen) }),
  }),
  row("watch/cut", {
    ...failed,
    when: (seen) => seen.input.failure === "lost" && hasEvents(seen),
    move: reopenWatch,
  }),
  row("watch/lost-too-often", {
    ...failed,
    when: ({ state, input }) => input.failure === "lost" && state.emptyEnds + 1 >= patienceWithEmptyEnds,
    move: (seen) => backOff(seen, "begin", { emptyEnds: 0 }),
  }),
  row("watch/lost", {
    ...failed,
    when: ({ input }) => input.failure === "lost",
    move: (seen) => backOff(seen, "watch", { emptyEnds: seen.state.emptyEnds + 1 }),
  }),
  // The version has expired, the watch is forbidden, or something that only a list can find out about.
  row("watch/failed", { ...failed, move: (seen) => backOff(seen, "begin") }),

  row("watch/resync-failed", {
    at: ["watching", "waiting"],
    on: "resync-failed",
    move: (seen) => backOff(seen, "begin"),
  }),
] as const satisfies readonly Row[];
