// Rows for a streamed list (WatchList): the initial events of a watch, up to the bookmark that ends them.
//
// No wait here is unbounded: a stream without progress is aborted, a stream that ends before its bookmark counts as a failure, and
// a server that cannot stream lists is not asked again for a while.

import type { Problem } from "./reflector-state.ts";
import { backOff, isServerUnavailable, isVersionUnavailable, startList, startStream } from "./reflector-transitions.ts";
import { type Row, row, type Seen } from "./transition-row.ts";

type Failed = Seen<"streaming", "failed">;
type Ended = Seen<"streaming", "failed" | "closed">;
const failed = { at: "streaming", on: "failed" } as const;

const streamNewest = (seen: Failed) => startStream({ ...seen, state: { ...seen.state, isVersionUnavailable: true } });
const isLostOrClosed = ({ input }: Ended) => input.type === "closed" || input.failure === "lost";
// A restarting server also cuts a stream: one cut does not prove that the server cannot stream lists.
const patienceWithEarlyEnds = 2;

const endedEarly: Problem = { reason: "StreamEndedEarly", message: "streamed list ended before its bookmark" };
const problemOf = ({ input }: Ended) => (input.type === "closed" ? { problem: endedEarly } : {});

export const streamRows = [
  // For any watch, whether it streams a list or follows one.
  row("events/only-dropped", {
    at: ["streaming", "watching"],
    on: "events",
    when: ({ input }) => input.added + input.others === 0,
    transition: ({ state }) => ({ state, command: { kind: "read" } }),
  }),
  row("stream/events", {
    at: "streaming",
    on: "events",
    transition: ({ state, phase, input }) => ({
      state: { ...state, phase: { ...phase, events: phase.events + input.added + input.others } },
      command: { kind: "read" },
    }),
  }),
  row("stream/complete", {
    at: "streaming",
    on: "complete",
    transition: ({ state, input }) => ({ state, command: { kind: "replace", resourceVersion: input.resourceVersion } }),
  }),
  // The same watch continues.
  row("stream/replaced", {
    at: "streaming",
    on: "replaced",
    transition: ({ state, phase, input }) => ({
      state: {
        ...state,
        phase: { at: "watching", startedMs: phase.startedMs, events: phase.events, isOrdered: true },
        resourceVersion: input.resourceVersion,
        isVersionUnavailable: false,
        healthySinceMs: state.healthySinceMs ?? input.nowMs,
        earlyEnds: 0,
        internalErrors: undefined,
      },
      command: { kind: "read" },
    }),
  }),

  row("stream/version-unavailable", { ...failed, when: isVersionUnavailable, transition: streamNewest }),
  row("stream/retried", {
    ...failed,
    when: ({ input }) => isServerUnavailable(input) || input.failure === "store",
    transition: (seen) => backOff(seen, "begin"),
  }),
  row("stream/unsupported", {
    ...failed,
    when: ({ input }) => input.failure === "unsupported",
    transition: (seen) => startList({ ...seen, state: { ...seen.state, unstreamableSinceMs: seen.input.nowMs } }),
  }),
  row("stream/silent", {
    at: "streaming",
    on: ["silent", "overdue"],
    transition: (seen) => ({
      ...startList({ ...seen, state: { ...seen.state, unstreamableSinceMs: seen.input.nowMs } }),
      problem: { reason: "StreamSilent", message: "streamed list made no progress and its bookmark did not come" },
    }),
  }),
  row("stream/ended-early-again", {
    at: "streaming",
    on: ["failed", "closed"],
    when: (seen) => isLostOrClosed(seen) && seen.state.earlyEnds + 1 >= patienceWithEarlyEnds,
    transition: (seen) => ({
      ...backOff(seen, "begin", { unstreamableSinceMs: seen.input.nowMs, earlyEnds: 0 }),
      ...problemOf(seen),
    }),
  }),
  row("stream/ended-early", {
    at: "streaming",
    on: ["failed", "closed"],
    when: isLostOrClosed,
    transition: (seen) => ({
      ...backOff(seen, "begin", { earlyEnds: seen.state.earlyEnds + 1 }),
      ...problemOf(seen),
    }),
  }),
  // For this cycle only: a user who may not watch may still list, and the list has the better error message.
  row("stream/failed", { ...failed, transition: (seen) => startList(seen) }),
] as const satisfies readonly Row[];
