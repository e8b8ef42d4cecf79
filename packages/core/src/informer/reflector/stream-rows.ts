// Rows for a streamed list: the events of a watch that begins with everything there is, up to the bookmark that ends it.
//
// Nothing here waits without bound: a stream that makes no progress is cut, one that ends too early counts as a failure, and
// a server that cannot do it is not asked again for a while.
import { backOff, isServerUnavailable, isVersionUnavailable, startList, startStream } from "./reflector-moves.ts";
import { type Row, row, type Seen } from "./reflector-row.ts";
import type { Complaint } from "./reflector-state.ts";

type Failed = Seen<"streaming", "failed">;
type Ended = Seen<"streaming", "failed" | "closed">;
const failed = { at: "streaming", on: "failed" } as const;

const streamNewest = (seen: Failed) => startStream({ ...seen, state: { ...seen.state, isVersionUnavailable: true } });
const isLostOrClosed = ({ input }: Ended) => input.type === "closed" || input.failure === "lost";
// A server that restarts cuts a stream too: once is no proof that it cannot do it.
const patienceWithEarlyEnds = 2;

const endedEarly: Complaint = { reason: "StreamEndedEarly", message: "streamed list ended before its bookmark" };
const complaintAbout = ({ input }: Ended) => (input.type === "closed" ? { complaint: endedEarly } : {});

export const streamRows = [
  // Of any watch, whether it streams a list or follows one.
  row("events/only-dropped", {
    at: ["streaming", "watching"],
    on: "events",
    when: ({ input }) => input.added + input.others === 0,
    move: ({ state }) => ({ state, command: { kind: "read" } }),
  }),
  row("stream/events", {
    at: "streaming",
    on: "events",
    move: ({ state, phase, input }) => ({
      state: { ...state, phase: { ...phase, events: phase.events + input.added + input.others } },
      command: { kind: "read" },
    }),
  }),
  row("stream/complete", {
    at: "streaming",
    on: "complete",
    move: ({ state, input }) => ({ state, command: { kind: "replace", resourceVersion: input.resourceVersion } }),
  }),
  // The same watch goes on.
  row("stream/replaced", {
    at: "streaming",
    on: "replaced",
    move: ({ state, phase, input }) => ({
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

  row("stream/version-unavailable", { ...failed, when: isVersionUnavailable, move: streamNewest }),
  row("stream/retried", {
    ...failed,
    when: ({ input }) => isServerUnavailable(input) || input.failure === "store",
    move: (seen) => backOff(seen, "begin"),
  }),
  row("stream/unsupported", {
    ...failed,
    when: ({ input }) => input.failure === "unsupported",
    move: (seen) => startList({ ...seen, state: { ...seen.state, unstreamableSinceMs: seen.input.nowMs } }),
  }),
  row("stream/silent", {
    at: "streaming",
    on: ["silent", "overdue"],
    move: (seen) => ({
      ...startList({ ...seen, state: { ...seen.state, unstreamableSinceMs: seen.input.nowMs } }),
      complaint: { reason: "StreamSilent", message: "streamed list made no progress and its bookmark did not come" },
    }),
  }),
  row("stream/ended-early-again", {
    at: "streaming",
    on: ["failed", "closed"],
    when: (seen) => isLostOrClosed(seen) && seen.state.earlyEnds + 1 >= patienceWithEarlyEnds,
    move: (seen) => ({
      ...backOff(seen, "begin", { unstreamableSinceMs: seen.input.nowMs, earlyEnds: 0 }),
      ...complaintAbout(seen),
    }),
  }),
  row("stream/ended-early", {
    at: "streaming",
    on: ["failed", "closed"],
    when: isLostOrClosed,
    move: (seen) => ({
      ...backOff(seen, "begin", { earlyEnds: seen.state.earlyEnds + 1 }),
      ...complaintAbout(seen),
    }),
  }),
  // For this cycle: who may not watch may still list, and a list says better what is wrong.
  row("stream/failed", { ...failed, move: (seen) => startList(seen) }),
] as const satisfies readonly Row[];
