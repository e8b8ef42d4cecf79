import { describe, expect, test } from "vitest";
import type { FailureClass } from "./failure-class.ts";
import type { Command, Input, Phase, ReflectorRules, ReflectorState } from "./reflector-state.ts";
import { initialState } from "./reflector-state.ts";
import { type ReflectorRow, reflectorRows, type Step, step } from "./reflector-step.ts";

const second = 1000;
const minute = 60 * second;

const usual: ReflectorRules = {
  canStream: false,
  forcedPageSize: undefined,
  backoff: { initialMs: 800, factor: 2, maxMs: 30_000, jitter: 1, resetAfterMs: 2 * minute },
  minWatchTimeoutMs: 5 * minute,
  maxInternalErrorRetryMs: 0,
  streamRetryMs: 30 * minute,
};
const streams: ReflectorRules = { ...usual, canStream: true };

// Chance is a half unless a fact says otherwise: jitter of 1 then makes each delay half as long again.
const now = { nowMs: 1000 * second, random: 0.5 };
const go: Input = { type: "go", ...now };
const closed: Input = { type: "closed", ...now };
const listed = (changes: { resourceVersion?: string; isPaged?: boolean } = {}): Input => ({
  type: "listed",
  resourceVersion: "10",
  isPaged: false,
  ...now,
  ...changes,
});
const events = (changes: Partial<Extract<Input, { type: "events" }>> = {}): Input => ({
  type: "events",
  nowMs: now.nowMs,
  added: 0,
  others: 0,
  dropped: 0,
  resourceVersion: "",
  ...changes,
});
const failed = (failure: FailureClass, changes: Partial<Extract<Input, { type: "failed" }>> = {}): Input => ({
  type: "failed",
  failure,
  isInStream: false,
  retryAfterMs: undefined,
  ...now,
  ...changes,
});

const state = (phase: Phase, changes: Partial<ReflectorState> = {}): ReflectorState => ({
  ...initialState,
  ...changes,
  phase,
});
const idle: Phase = { at: "idle" };
const waiting = (next: "begin" | "watch"): Phase => ({ at: "waiting", next });
const listing = (resourceVersion: string, pageSize: number): Phase => ({ at: "listing", resourceVersion, pageSize });
const streaming = (resourceVersion: string, heard = 0): Phase => ({
  at: "streaming",
  resourceVersion,
  startedMs: now.nowMs - minute,
  events: heard,
});
const watching = (heard: number, lastedMs: number, isOrdered = true): Phase => ({
  at: "watching",
  startedMs: now.nowMs - lastedMs,
  events: heard,
  isOrdered,
});

const list = (resourceVersion: string, pageSize: number): Command => ({ kind: "list", resourceVersion, pageSize });
const stream = (resourceVersion: string): Command => ({ kind: "stream", resourceVersion, timeoutSeconds: 450 });
const watch = (resourceVersion: string): Command => ({ kind: "watch", resourceVersion, timeoutSeconds: 450 });
const wait = (delayMs: number): Command => ({ kind: "wait", delayMs });
const read: Command = { kind: "read" };
/** The first delay, with half the jitter. */
const first = 1200;

interface Fact {
  readonly row: ReflectorRow;
  readonly says: string;
  readonly from: ReflectorState;
  readonly input: Input;
  readonly rules?: ReflectorRules;
  readonly command: Command;
  readonly to?: Partial<ReflectorState>;
  readonly problem?: string;
}

const beginning: readonly Fact[] = [
  {
    row: "begin/list",
    says: "lists first whatever the server has at hand, in pages",
    from: state(idle),
    input: go,
    command: list("0", 500),
  },
  {
    row: "begin/list",
    says: "lists first in the pages it was told to",
    from: state(idle),
    input: go,
    rules: { ...usual, forcedPageSize: 4 },
    command: list("0", 4),
  },
  {
    row: "begin/list",
    says: "lists again no older than what it has seen, whole, so that the server's cache can answer",
    from: state(waiting("begin"), { resourceVersion: "10" }),
    input: go,
    command: list("10", 0),
  },
  {
    row: "begin/list",
    says: "goes on from its version when it is run again",
    from: state(idle, { resourceVersion: "10" }),
    input: go,
    command: list("10", 0),
  },
  {
    row: "begin/list",
    says: "lists again in pages where the first answer was: there is no cache to spare",
    from: state(waiting("begin"), { resourceVersion: "10", isPaged: true }),
    input: go,
    command: list("10", 500),
  },
  {
    row: "begin/list",
    says: "lists in pages where the last version says nothing",
    from: state(waiting("begin"), { resourceVersion: "0" }),
    input: go,
    command: list("0", 500),
  },
  {
    row: "begin/list",
    says: "lists again in the pages it was told to",
    from: state(waiting("begin"), { resourceVersion: "10" }),
    input: go,
    rules: { ...usual, forcedPageSize: 4 },
    command: list("10", 4),
  },
  {
    row: "begin/list",
    says: "lists the newest where its version is gone",
    from: state(waiting("begin"), { resourceVersion: "10", isVersionUnavailable: true }),
    input: go,
    command: list("", 500),
  },
  {
    row: "begin/stream",
    says: "streams first from the newest",
    from: state(idle),
    input: go,
    rules: streams,
    command: stream(""),
  },
  {
    row: "begin/stream",
    says: "streams again from its version on",
    from: state(waiting("begin"), { resourceVersion: "10" }),
    input: go,
    rules: streams,
    command: stream("10"),
  },
  {
    row: "begin/stream",
    says: "streams the newest where its version is gone",
    from: state(waiting("begin"), { resourceVersion: "10", isVersionUnavailable: true }),
    input: go,
    rules: streams,
    command: stream(""),
  },
  {
    row: "begin/list",
    says: "does not ask a server to stream that could not half an hour ago",
    from: state(waiting("begin"), { resourceVersion: "10", unstreamableSinceMs: now.nowMs - 29 * minute }),
    input: go,
    rules: streams,
    command: list("10", 0),
    to: { unstreamableSinceMs: now.nowMs - 29 * minute },
  },
  {
    row: "begin/stream-tried-again",
    says: "asks it again after that",
    from: state(waiting("begin"), { resourceVersion: "10", unstreamableSinceMs: 0 }),
    input: { ...go, nowMs: 30 * minute },
    rules: streams,
    command: stream("10"),
    to: { unstreamableSinceMs: undefined },
  },
  {
    row: "begin/watch-again",
    says: "watches after a wait that was for the watch",
    from: state(waiting("watch"), { resourceVersion: "10" }),
    input: go,
    rules: streams,
    command: watch("10"),
    to: { phase: watching(0, 0) },
  },
  {
    row: "begin/watch-again",
    says: "asks for a watch of five to ten minutes, by chance",
    from: state(waiting("watch"), { resourceVersion: "10" }),
    input: { ...go, random: 0 },
    command: { kind: "watch", resourceVersion: "10", timeoutSeconds: 300 },
  },
  {
    row: "begin/watch-again",
    says: "asks for longer watches where it is told to",
    from: state(waiting("watch"), { resourceVersion: "10" }),
    input: { ...go, random: 0.999 },
    rules: { ...usual, minWatchTimeoutMs: 30 * minute },
    command: { kind: "watch", resourceVersion: "10", timeoutSeconds: 3598 },
  },
];

const lists: readonly Fact[] = [
  {
    row: "list/done",
    says: "watches from the version of its list",
    from: state(listing("0", 500)),
    input: listed(),
    command: watch("10"),
    to: { resourceVersion: "10", healthySinceMs: now.nowMs, phase: watching(0, 0) },
  },
  {
    row: "list/done",
    says: "has a version again after the newest was listed",
    from: state(listing("", 500), { resourceVersion: "5", isVersionUnavailable: true }),
    input: listed({ isPaged: true }),
    command: watch("10"),
    to: { resourceVersion: "10", isVersionUnavailable: false, isPaged: false },
  },
  {
    row: "list/done",
    says: "knows that a watch from anywhere begins with what is there, in no order",
    from: state(listing("0", 500)),
    input: listed({ resourceVersion: "0" }),
    command: watch("0"),
    to: { phase: watching(0, 0, false) },
  },
  {
    row: "list/done",
    says: "remembers that the first answer came in pages",
    from: state(listing("0", 500)),
    input: listed({ isPaged: true }),
    command: watch("10"),
    to: { isPaged: true },
  },
  {
    row: "list/version-unavailable",
    says: "lists the newest at once where its version has expired, whole as before",
    from: state(listing("10", 0), { resourceVersion: "10" }),
    input: failed("expired"),
    command: list("", 0),
    to: { isVersionUnavailable: true, failures: 0 },
  },
  {
    row: "list/version-unavailable",
    says: "lists the newest in pages where the first attempt was in pages",
    from: state(listing("10", 4), { resourceVersion: "10" }),
    input: failed("expired"),
    command: list("", 4),
  },
  {
    row: "list/version-unavailable",
    says: "lists the newest at once where the server has not come to its version",
    from: state(listing("10", 0), { resourceVersion: "10" }),
    input: failed("too-large"),
    command: list("", 0),
    to: { isVersionUnavailable: true },
  },
  {
    row: "list/failed",
    says: "backs off where even the newest has expired",
    from: state(listing("", 0), { resourceVersion: "10", isVersionUnavailable: true }),
    input: failed("expired"),
    command: wait(first),
    to: { isVersionUnavailable: true, phase: waiting("begin") },
  },
  {
    row: "list/failed",
    says: "backs off after any other failure, and keeps its version",
    from: state(listing("10", 0), { resourceVersion: "10" }),
    input: failed("other"),
    command: wait(first),
    to: { resourceVersion: "10", failures: 1, healthySinceMs: undefined, phase: waiting("begin") },
  },
  {
    row: "list/failed",
    says: "gives a busy server the time it asks for",
    from: state(listing("0", 500)),
    input: failed("busy", { retryAfterMs: 5 * second }),
    command: wait(5 * second),
  },
  {
    row: "list/failed",
    says: "does not wait for ever because a server asks for it",
    from: state(listing("0", 500)),
    input: failed("busy", { retryAfterMs: 3600 * second }),
    command: wait(60 * second),
  },
  {
    row: "list/failed",
    says: "backs off where no connection is made",
    from: state(listing("0", 500)),
    input: failed("unreachable"),
    command: wait(first),
  },
  {
    row: "list/failed",
    says: "keeps trying where it may not list, or there is nothing to list, ever more slowly",
    from: state(listing("0", 500), { failures: 12 }),
    input: failed("denied"),
    command: wait(45 * second),
    to: { failures: 13, phase: waiting("begin") },
  },
  {
    row: "list/failed",
    says: "lists again where the store did not take the list",
    from: state(listing("0", 500)),
    input: failed("store"),
    command: wait(first),
    to: { phase: waiting("begin") },
  },
];

const streamedLists: readonly Fact[] = [
  {
    row: "stream/events",
    says: "reads on while objects come, and no version counts yet",
    from: state(streaming("")),
    input: events({ added: 2, others: 1, resourceVersion: "7" }),
    command: read,
    to: { phase: streaming("", 3), resourceVersion: "" },
  },
  {
    row: "events/only-dropped",
    says: "reads on over what does not belong there",
    from: state(streaming("", 1)),
    input: events({ dropped: 2 }),
    command: read,
    to: { phase: streaming("", 1) },
  },
  {
    row: "stream/complete",
    says: "puts the list into the store when its bookmark comes",
    from: state(streaming("", 3)),
    input: { type: "complete", resourceVersion: "12" },
    command: { kind: "replace", resourceVersion: "12" },
    to: { resourceVersion: "" },
  },
  {
    row: "stream/replaced",
    says: "goes on with the same watch, every event of which is news",
    from: state(streaming("", 3), { isVersionUnavailable: true, earlyEnds: 1 }),
    input: { type: "replaced", resourceVersion: "12", ...now },
    command: read,
    to: {
      phase: watching(3, minute),
      resourceVersion: "12",
      isVersionUnavailable: false,
      earlyEnds: 0,
      healthySinceMs: now.nowMs,
    },
  },
  {
    row: "stream/version-unavailable",
    says: "streams the newest at once where its version has expired",
    from: state(streaming("10"), { resourceVersion: "10" }),
    input: failed("expired"),
    rules: streams,
    command: stream(""),
    to: { isVersionUnavailable: true },
  },
  {
    row: "stream/version-unavailable",
    says: "streams the newest at once where the server has not come to its version",
    from: state(streaming("10"), { resourceVersion: "10" }),
    input: failed("too-large"),
    rules: streams,
    command: stream(""),
    to: { isVersionUnavailable: true },
  },
  {
    row: "stream/failed",
    says: "lists where even the newest has expired, and does not stream it again without a pause",
    from: state(streaming(""), { resourceVersion: "10", isVersionUnavailable: true }),
    input: failed("expired"),
    rules: streams,
    command: list("", 500),
  },
  {
    row: "stream/failed",
    says: "lists, this time, after any other failure",
    from: state(streaming("")),
    input: failed("denied"),
    rules: streams,
    command: list("0", 500),
    to: { unstreamableSinceMs: undefined },
  },
  {
    row: "stream/retried",
    says: "backs off from a busy server and streams again",
    from: state(streaming("")),
    input: failed("busy", { retryAfterMs: 3 * second }),
    rules: streams,
    command: wait(3 * second),
    to: { phase: waiting("begin"), unstreamableSinceMs: undefined },
  },
  {
    row: "stream/retried",
    says: "backs off where no connection is made and streams again",
    from: state(streaming("")),
    input: failed("unreachable"),
    rules: streams,
    command: wait(first),
    to: { phase: waiting("begin"), unstreamableSinceMs: undefined },
  },
  {
    row: "stream/unsupported",
    says: "lists at once where the server does not stream lists, and remembers it",
    from: state(streaming("")),
    input: failed("unsupported"),
    rules: streams,
    command: list("0", 500),
    to: { unstreamableSinceMs: now.nowMs, failures: 0 },
  },
  {
    row: "stream/silent",
    says: "lists at once where the bookmark does not come, and remembers it",
    from: state(streaming("", 3), { resourceVersion: "10" }),
    input: { type: "silent", ...now },
    rules: streams,
    command: list("10", 0),
    to: { unstreamableSinceMs: now.nowMs },
    problem: "StreamSilent",
  },
  {
    row: "stream/silent",
    says: "lists where a stream outlived its time without its bookmark",
    from: state(streaming("", 3)),
    input: { type: "overdue", ...now },
    rules: streams,
    command: list("0", 500),
    to: { unstreamableSinceMs: now.nowMs },
    problem: "StreamSilent",
  },
  {
    row: "stream/ended-early",
    says: "counts a stream that is closed before its bookmark as a failure, and streams again after a pause",
    from: state(streaming("", 3)),
    input: closed,
    rules: streams,
    command: wait(first),
    to: { earlyEnds: 1, failures: 1, unstreamableSinceMs: undefined, phase: waiting("begin") },
    problem: "StreamEndedEarly",
  },
  {
    row: "stream/ended-early",
    says: "counts a stream whose connection broke likewise",
    from: state(streaming("", 3)),
    input: failed("lost"),
    rules: streams,
    command: wait(first),
    to: { earlyEnds: 1 },
  },
  {
    row: "stream/ended-early-again",
    says: "lists after the second such stream in a row, and remembers it",
    from: state(streaming("", 3), { earlyEnds: 1, failures: 1 }),
    input: closed,
    rules: streams,
    command: wait(2 * first),
    to: { earlyEnds: 0, unstreamableSinceMs: now.nowMs, phase: waiting("begin") },
    problem: "StreamEndedEarly",
  },
  {
    row: "stream/retried",
    says: "streams again after a pause where the store or its transform did not take what came",
    from: state(streaming("", 3)),
    input: failed("store"),
    rules: streams,
    command: wait(first),
    to: { phase: waiting("begin"), unstreamableSinceMs: undefined },
  },
];

const watches: readonly Fact[] = [
  {
    row: "watch/events",
    says: "has come to the version of the last event",
    from: state(watching(1, minute), { resourceVersion: "10", emptyEnds: 2 }),
    input: events({ added: 1, others: 2, resourceVersion: "14" }),
    command: read,
    to: { resourceVersion: "14", phase: watching(4, minute), emptyEnds: 0 },
  },
  {
    row: "watch/events",
    says: "keeps its version where events have none",
    from: state(watching(1, minute), { resourceVersion: "10" }),
    input: events({ others: 1 }),
    command: read,
    to: { resourceVersion: "10" },
  },
  {
    row: "watch/events",
    says: "is healthy from the first event on that follows trouble",
    from: state(watching(0, second), { resourceVersion: "10", failures: 3 }),
    input: events({ added: 1, resourceVersion: "11" }),
    command: read,
    to: { healthySinceMs: now.nowMs, failures: 3 },
  },
  {
    row: "events/only-dropped",
    says: "neither moves nor counts for what does not belong there",
    from: state(watching(0, second), { resourceVersion: "10" }),
    input: events({ dropped: 3, resourceVersion: "99" }),
    command: read,
    to: { resourceVersion: "10", phase: watching(0, second) },
  },
  {
    row: "watch/initial-events",
    says: "has come to no version while a watch from anywhere tells what was there",
    from: state(watching(0, second, false), { resourceVersion: "0" }),
    input: events({ added: 3, resourceVersion: "50" }),
    command: read,
    to: { resourceVersion: "0", phase: watching(3, second, false) },
  },
  {
    row: "watch/events",
    says: "has come to a version with the first event that is no addition",
    from: state(watching(3, second, false), { resourceVersion: "0" }),
    input: events({ added: 1, others: 1, resourceVersion: "51" }),
    command: read,
    to: { resourceVersion: "51", phase: watching(5, second) },
  },
  {
    row: "watch/closed",
    says: "watches again at once after a watch that was closed",
    from: state(watching(0, 5 * minute), { resourceVersion: "10", healthySinceMs: 7 }),
    input: closed,
    command: watch("10"),
    to: { failures: 0, healthySinceMs: 7, phase: watching(0, 0) },
  },
  {
    row: "watch/closed",
    says: "was healthy during a watch on which nothing happened",
    from: state(watching(0, 5 * minute), { resourceVersion: "10", failures: 3 }),
    input: closed,
    command: watch("10"),
    to: { healthySinceMs: now.nowMs - 5 * minute },
  },
  {
    row: "watch/closed",
    says: "watches again at once after the first quick end",
    from: state(watching(1, 100), { resourceVersion: "10" }),
    input: closed,
    command: watch("10"),
    to: { quickEnds: 1 },
  },
  {
    row: "watch/closed",
    says: "takes its time from the second quick end in a row on",
    from: state(watching(1, 100), { resourceVersion: "10", quickEnds: 1 }),
    input: closed,
    command: wait(900),
    to: { quickEnds: 2, failures: 0, phase: waiting("watch") },
  },
  {
    row: "watch/short",
    says: "counts a watch of under a second without an event as a failure",
    from: state(watching(0, 999), { resourceVersion: "10" }),
    input: closed,
    command: wait(first),
    to: { failures: 1, phase: waiting("begin") },
    problem: "VeryShortWatch",
  },
  {
    row: "watch/closed",
    says: "lets a watch of a second pass",
    from: state(watching(0, second), { resourceVersion: "10" }),
    input: closed,
    command: watch("10"),
  },
  {
    row: "watch/overdue",
    says: "watches again at once where nothing was heard for too long, and does not call that health",
    from: state(watching(0, 8 * minute), { resourceVersion: "10", healthySinceMs: 7 }),
    input: { type: "overdue", ...now },
    command: watch("10"),
    to: { healthySinceMs: undefined },
    problem: "WatchOverdue",
  },
  {
    row: "watch/failed",
    says: "lists again no older than its version when that has expired",
    from: state(watching(2, minute), { resourceVersion: "10" }),
    input: failed("expired", { isInStream: true }),
    command: wait(first),
    to: { resourceVersion: "10", isVersionUnavailable: false, phase: waiting("begin") },
  },
  {
    row: "watch/retried",
    says: "backs off from a busy server and watches again without a list",
    from: state(watching(0, 100), { resourceVersion: "10" }),
    input: failed("busy", { retryAfterMs: second }),
    command: wait(first),
    to: { resourceVersion: "10", phase: waiting("watch") },
  },
  {
    row: "watch/retried",
    says: "backs off where no connection is made and watches again without a list",
    from: state(watching(0, 100), { resourceVersion: "10", failures: 1 }),
    input: failed("unreachable"),
    command: wait(2 * first),
    to: { phase: waiting("watch") },
  },
  {
    row: "watch/failed",
    says: "lists again after an internal error unless told otherwise",
    from: state(watching(1, minute), { resourceVersion: "10" }),
    input: failed("internal", { isInStream: true }),
    command: wait(first),
    to: { phase: waiting("begin") },
  },
  {
    row: "watch/internal-error-retried",
    says: "watches again after an internal error for as long as it is told to",
    from: state(watching(1, minute), {
      resourceVersion: "10",
      internalErrors: { firstMs: now.nowMs - 30 * second, lastMs: now.nowMs - second },
    }),
    input: failed("internal", { isInStream: true }),
    rules: { ...usual, maxInternalErrorRetryMs: 30 * second },
    command: watch("10"),
    to: { internalErrors: { firstMs: now.nowMs - 30 * second, lastMs: now.nowMs } },
  },
  {
    row: "watch/failed",
    says: "lists again after internal errors for longer than that",
    from: state(watching(1, minute), {
      resourceVersion: "10",
      internalErrors: { firstMs: now.nowMs - 31 * second, lastMs: now.nowMs - second },
    }),
    input: failed("internal", { isInStream: true }),
    rules: { ...usual, maxInternalErrorRetryMs: 30 * second },
    command: wait(first),
  },
  {
    row: "watch/internal-error-retried",
    says: "counts internal errors anew after a quiet minute",
    from: state(watching(1, 2 * minute), {
      resourceVersion: "10",
      internalErrors: { firstMs: now.nowMs - 90 * second, lastMs: now.nowMs - minute },
    }),
    input: failed("internal", { isInStream: true }),
    rules: { ...usual, maxInternalErrorRetryMs: 30 * second },
    command: watch("10"),
    to: { internalErrors: { firstMs: now.nowMs, lastMs: now.nowMs } },
  },
  {
    row: "watch/failed",
    says: "lists again where a watch could not be opened for an internal error",
    from: state(watching(0, 100), { resourceVersion: "10" }),
    input: failed("internal"),
    rules: { ...usual, maxInternalErrorRetryMs: 30 * second },
    command: wait(first),
  },
  {
    row: "watch/cut",
    says: "watches again at once where a connection broke on which something was heard",
    from: state(watching(2, minute), { resourceVersion: "10" }),
    input: failed("lost"),
    command: watch("10"),
    to: { failures: 0 },
  },
  {
    row: "watch/lost",
    says: "watches again after a pause where a connection broke before anything was heard",
    from: state(watching(0, minute), { resourceVersion: "10" }),
    input: failed("lost"),
    command: wait(first),
    to: { emptyEnds: 1, phase: waiting("watch") },
  },
  {
    row: "watch/lost-too-often",
    says: "lists again after the third such watch in a row",
    from: state(watching(0, minute), { resourceVersion: "10", emptyEnds: 2 }),
    input: failed("lost"),
    command: wait(first),
    to: { emptyEnds: 0, phase: waiting("begin") },
  },
  {
    row: "watch/failed",
    says: "lists again, after a pause, where it may no longer watch",
    from: state(watching(0, 100), { resourceVersion: "10" }),
    input: failed("denied"),
    command: wait(first),
    to: { phase: waiting("begin") },
  },
  {
    row: "watch/failed",
    says: "lists again after any other failure",
    from: state(watching(3, minute), { resourceVersion: "10" }),
    input: failed("other", { isInStream: true }),
    command: wait(first),
    to: { resourceVersion: "10", phase: waiting("begin") },
  },
  {
    row: "watch/resync-failed",
    says: "lists again where the store could not resync",
    from: state(watching(3, minute), { resourceVersion: "10" }),
    input: { type: "resync-failed", ...now },
    command: wait(first),
    to: { phase: waiting("begin") },
  },
  {
    row: "watch/resync-failed",
    says: "lists again where that happens while it waits",
    from: state(waiting("watch"), { resourceVersion: "10", failures: 1 }),
    input: { type: "resync-failed", ...now },
    command: wait(2 * first),
    to: { phase: waiting("begin") },
  },
  {
    row: "watch/malformed",
    says: "lists again where an object of the cache is malformed",
    from: state(watching(3, minute), { resourceVersion: "10" }),
    input: { type: "malformed", ...now },
    command: wait(first),
    to: { resourceVersion: "10", phase: waiting("begin") },
  },
  {
    row: "watch/malformed",
    says: "lists again where that is found while it waits, and more slowly each time",
    from: state(waiting("watch"), { resourceVersion: "10", failures: 1 }),
    input: { type: "malformed", ...now },
    command: wait(2 * first),
    to: { phase: waiting("begin") },
  },
];

const check = ({ row, from, input, rules = usual, command, to = {}, problem }: Fact) => {
  const next = step(from, input, rules);
  expect(next.row).toBe(row);
  expect(next.command).toEqual(command);
  expect(next.state).toMatchObject(to);
  expect(next.problem?.reason).toBe(problem);
};

describe.each([
  ["the beginning of a cycle", beginning],
  ["a list", lists],
  ["a streamed list", streamedLists],
  ["a watch", watches],
])("%s", (_, facts) => {
  test.each(facts.map((fact) => [fact.says, fact] as const))("%s", (_says, fact) => check(fact));
});

test("every row of the table is a fact of this file", () => {
  const shown = new Set([...beginning, ...lists, ...streamedLists, ...watches].map(({ row }) => row));
  expect([...shown].sort()).toEqual([...reflectorRows].sort());
});

test("row names are unique", () => {
  expect(new Set(reflectorRows).size).toBe(reflectorRows.length);
});

test("what cannot follow is refused", () => {
  expect(() => step(initialState, closed, usual)).toThrow("reflector in phase idle cannot handle the input closed");
});

describe("the back-off", () => {
  const failAgain = (last: Step, changes: Partial<Extract<Input, { type: "failed" }>> = {}): Step =>
    step({ ...last.state, phase: listing("0", 500) }, failed("other", changes), usual);
  const start = (): Step => step(state(listing("0", 500)), failed("other", { random: 0 }), usual);
  const delayOf = ({ command }: Step) => (command.kind === "wait" ? command.delayMs : undefined);

  test("doubles from 0.8 s to 30 s, and stays there however long it lasts", () => {
    const delays: unknown[] = [];
    let nowMs = 0;
    let last = start();
    for (let i = 0; i < 40; i++) {
      delays.push(delayOf(last));
      // Two minutes pass between attempts: nothing but trying happens in them.
      nowMs += 2 * minute;
      last = failAgain(last, { nowMs, random: 0 });
    }
    expect(delays.slice(0, 7)).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
    expect(new Set(delays.slice(6))).toEqual(new Set([30_000]));
  });

  test("is stretched by chance to nearly twice as much", () => {
    expect(delayOf(failAgain(start(), { random: 0.999 }))).toBeCloseTo(3198.4);
  });

  test.each([
    ["goes on after less than two minutes of health", 2 * minute - 1, 4],
    ["begins anew after two minutes of health", 2 * minute, 1],
  ])("%s", (_, healthyMs, failures) => {
    const from = state(watching(1, minute), { failures: 3, healthySinceMs: now.nowMs - healthyMs });
    expect(step(from, failed("expired"), usual).state.failures).toBe(failures);
  });

  test.each([
    ["counts a silent watch that lasted as health", 60 * second, 1],
    ["does not count one that may not have opened yet", 59 * second, 4],
  ])("%s", (_, lastedMs, failures) => {
    const from = state(watching(0, lastedMs), { failures: 3 });
    const impatient = { ...usual, backoff: { ...usual.backoff, resetAfterMs: 10 * second } };
    expect(step(from, failed("other"), impatient).state.failures).toBe(failures);
  });

  test("keeps its health over watches that end in order", () => {
    const from = state(watching(1, 5 * minute), { resourceVersion: "10", failures: 3, healthySinceMs: 0 });
    const again = step(from, closed, usual);
    expect(step(again.state, failed("unreachable", { nowMs: 2 * minute }), usual).state.failures).toBe(1);
  });
});
