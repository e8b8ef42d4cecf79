// Leader election as a pure state machine: what happened goes in, what to do next comes out. The driver
// (leader-elector.ts) does one command at a time and reports how it went.
//
// Rules
// - Time is local and monotonic. What matters is when *we* first saw the lease as it is now, never what others wrote into it.
// - A contender takes a lease that nobody holds, or that has not changed for as long as it says it lasts.
// - A leader counts its deadline from when it *sent* its last renewal that worked. Others saw that renewal later than that
//   and wait for longer than the deadline: as long as no clock runs faster than another by more than the ratio of lease to
//   deadline, the leader has stopped before anybody else may begin.
// - A leader that sees another holder has lost, whatever its deadline.
// - A request gets no more time than half of the deadline, so that one that is lost leaves time for the next.
// - A leader that is stopped has its work end first, and renews until it has: nobody else begins meanwhile, however long
//   that takes.
// - An answer that was lost may have been carried out. A contender that finds itself the holder goes on as one.
//
// Not promised: that work which ignores its signal has ended. For writers who must be sure there is the fencing token.
import { assertNever } from "../base/index.ts";
import { type ElectionTimings, retryJitter } from "./election-timings.ts";
import { isSameRecord, type LeaseRecord, leaseTime, type SeenLease } from "./lease-record.ts";

/** The lease as it is now, and since when we have seen it so. */
export interface Observation {
  readonly lease: SeenLease;
  readonly sinceMs: number;
}

export type ElectorState =
  /** Does not hold the lease. */
  | { readonly at: "contending"; readonly observed: Observation | undefined }
  /** Holds it until `renewedMs` + the deadline. */
  | {
      readonly at: "leading";
      readonly observed: Observation;
      readonly renewedMs: number;
      readonly token: number;
      /** Ending: it was stopped, and holds the lease until the work has ended. */
      readonly work: "running" | "ending";
      /** A renewal writes what it remembers; when that fails it reads first, once. */
      readonly path: "fast" | "slow";
    }
  /** No longer leads; its work is being ended. */
  | { readonly at: "ending"; readonly observed: Observation | undefined; readonly why: EndReason };

/** `lost`: the lease is another's, or could not be renewed in time. `stopped`: its signal aborted. `finished`: the work ended by itself. */
export type EndReason = "lost" | "stopped" | "finished";

export type LeaseWrite = { readonly base: SeenLease | undefined; readonly record: LeaseRecord };

export type Answer =
  | { readonly kind: "lease"; readonly lease: SeenLease }
  | { readonly kind: "absent" }
  /** Refused, failed, or no answer in time. */
  | { readonly kind: "failed" };

export type ElectorInput =
  /** Started, or the wait is over. */
  | { readonly kind: "due" }
  | { readonly kind: "read"; readonly answer: Answer }
  /** `sentMs` is when the request went out. */
  | { readonly kind: "written"; readonly answer: Answer; readonly sentMs: number }
  | { readonly kind: "workEnded" }
  | { readonly kind: "stop" };

export type ElectorCommand =
  | { readonly do: "read"; readonly limitMs: number }
  | { readonly do: "write"; readonly write: LeaseWrite; readonly limitMs: number }
  | { readonly do: "wait"; readonly delayMs: number }
  /** Begin the work, and wait. */
  | { readonly do: "lead"; readonly token: number; readonly delayMs: number }
  /** Abort the work, and wait. */
  | { readonly do: "endWork"; readonly delayMs: number }
  /** Abort the work if there is any, and wait for it; then it is over. */
  | { readonly do: "end"; readonly why: EndReason };

export interface ElectorContext {
  readonly identity: string;
  readonly timings: ElectionTimings;
  readonly nowMs: number;
  /** For what is written into the lease. */
  readonly wallMs: number;
  /** In [0, 1). */
  readonly chance: number;
}

export interface Stepped {
  readonly state: ElectorState;
  readonly command: ElectorCommand;
  /** The attempt had to read first, although it leads: for the metric. */
  readonly isSlowPath?: boolean;
}

export const initialState: ElectorState = { at: "contending", observed: undefined };

export function step(state: ElectorState, input: ElectorInput, context: ElectorContext): Stepped {
  if (state.at === "ending") return { state, command: { do: "end", why: state.why } };
  if (input.kind === "stop") return state.at === "leading" ? endWork(state, context) : end(state, "stopped");
  if (input.kind === "workEnded") return end(state, "finished");
  return state.at === "leading" ? stepLeading(state, input, context) : stepContending(state, input, context);
}

type Asked = Exclude<ElectorInput, { readonly kind: "stop" | "workEnded" }>;
type Written = ElectorInput & { readonly kind: "written" };
type Contending = ElectorState & { readonly at: "contending" };
type Leading = ElectorState & { readonly at: "leading" };

function stepContending(state: Contending, input: Asked, context: ElectorContext): Stepped {
  switch (input.kind) {
    case "due":
      return { state, command: { do: "read", limitMs: requestLimitMs(context) } };
    case "written":
      return afterTakeover(state, input, context);
    case "read":
      if (input.answer.kind === "failed") return { state, command: contenderWait(context) };
      return contend(input.answer.kind === "lease" ? input.answer.lease : undefined, state, context);
    default:
      return assertNever(input);
  }
}

function contend(lease: SeenLease | undefined, state: Contending, context: ElectorContext): Stepped {
  const observed = lease === undefined ? undefined : observe(state.observed, lease, context.nowMs);
  const next: Contending = { at: "contending", observed: observed ?? state.observed };
  if (!isFree(observed, context)) return { state: next, command: contenderWait(context) };
  // Where somebody deleted it, the count goes on from what was last seen: a token must not come back.
  const write = { base: lease, record: takeover((lease ?? state.observed?.lease)?.record, context) };
  return { state: next, command: { do: "write", write, limitMs: requestLimitMs(context) } };
}

function afterTakeover(state: Contending, { answer, sentMs }: Written, context: ElectorContext): Stepped {
  if (answer.kind !== "lease") return { state, command: contenderWait(context) };
  const observed = { lease: answer.lease, sinceMs: context.nowMs };
  // An answer this late tells of a lease that may be another's by now. It is looked at once more.
  if (context.nowMs - sentMs >= context.timings.renewDeadlineMs) {
    return { state: { at: "contending", observed }, command: contenderWait(context) };
  }
  const token = answer.lease.record.transitions;
  const leading: Leading = { at: "leading", observed, renewedMs: sentMs, token, work: "running", path: "fast" };
  return { state: leading, command: { do: "lead", token, delayMs: leaderDelayMs(leading, context) } };
}

function stepLeading(state: Leading, input: Asked, context: ElectorContext): Stepped {
  if (context.nowMs >= deadlineMs(state, context)) return end(state, "lost");
  switch (input.kind) {
    case "due":
      return renew({ ...state, path: "fast" }, state.observed.lease, context);
    case "read":
      return afterRead(state, input.answer, context);
    case "written":
      return afterRenewal(state, input, context);
    default:
      return assertNever(input);
  }
}

function endWork(state: Leading, context: ElectorContext): Stepped {
  const delayMs = leaderDelayMs(state, context);
  return { state: { ...state, work: "ending" }, command: { do: "endWork", delayMs } };
}

function afterRead(state: Leading, answer: Answer, context: ElectorContext): Stepped {
  switch (answer.kind) {
    case "failed":
      return { state, command: leaderWait(state, context) };
    // Somebody deleted it, nobody else holds it: it is made anew, and counts on from where it was.
    case "absent":
      return renew(state, undefined, context);
    case "lease":
      if (answer.lease.record.holder === context.identity) return renew(state, answer.lease, context);
      return end({ ...state, observed: observe(state.observed, answer.lease, context.nowMs) }, "lost");
    default:
      return assertNever(answer);
  }
}

function afterRenewal(state: Leading, { answer, sentMs }: Written, context: ElectorContext): Stepped {
  if (answer.kind === "lease") {
    const observed = { lease: answer.lease, sinceMs: context.nowMs };
    const renewed: Leading = { ...state, observed, renewedMs: sentMs, path: "fast" };
    return { state: renewed, command: leaderWait(renewed, context) };
  }
  if (state.path === "slow") return { state, command: leaderWait(state, context) };
  const slow: Leading = { ...state, path: "slow" };
  return { state: slow, command: { do: "read", limitMs: leaderLimitMs(state, context) }, isSlowPath: true };
}

function renew(state: Leading, base: SeenLease | undefined, context: ElectorContext): Stepped {
  const { acquireTime } = state.observed.lease.record;
  const record = newRecord(context, { transitions: state.token, acquireTime });
  return { state, command: { do: "write", write: { base, record }, limitMs: leaderLimitMs(state, context) } };
}

/** What is written to become the holder. Who holds it already goes on as before; a change of hands is counted. */
function takeover(before: LeaseRecord | undefined, context: ElectorContext): LeaseRecord {
  if (before === undefined) return newRecord(context, { transitions: 0, acquireTime: leaseTime(context.wallMs) });
  if (before.holder === context.identity) return newRecord(context, before);
  return newRecord(context, { transitions: before.transitions + 1, acquireTime: leaseTime(context.wallMs) });
}

function newRecord(context: ElectorContext, kept: Pick<LeaseRecord, "transitions" | "acquireTime">): LeaseRecord {
  return {
    holder: context.identity,
    leaseDurationMs: context.timings.leaseDurationMs,
    transitions: kept.transitions,
    acquireTime: kept.acquireTime,
    renewTime: leaseTime(context.wallMs),
  };
}

/** A lease that reads as it did before has been so since then. */
function observe(before: Observation | undefined, lease: SeenLease, nowMs: number): Observation {
  if (before === undefined || !isSameRecord(before.lease.record, lease.record)) return { lease, sinceMs: nowMs };
  return { lease, sinceMs: before.sinceMs };
}

function isFree(observed: Observation | undefined, { identity, nowMs }: ElectorContext): boolean {
  if (observed === undefined) return true;
  const { holder, leaseDurationMs } = observed.lease.record;
  return holder === "" || holder === identity || nowMs - observed.sinceMs >= leaseDurationMs;
}

function deadlineMs(state: Leading, { timings }: ElectorContext): number {
  return state.renewedMs + timings.renewDeadlineMs;
}

/** Half of the deadline: a request that gets no answer must leave time for another. */
function requestLimitMs({ timings }: ElectorContext): number {
  return timings.renewDeadlineMs / 2;
}

function leaderLimitMs(state: Leading, context: ElectorContext): number {
  return Math.min(requestLimitMs(context), deadlineMs(state, context) - context.nowMs);
}

function contenderWait({ timings, chance }: ElectorContext): ElectorCommand {
  return { do: "wait", delayMs: timings.retryPeriodMs * (1 + chance * retryJitter) };
}

function leaderWait(state: Leading, context: ElectorContext): ElectorCommand {
  return { do: "wait", delayMs: leaderDelayMs(state, context) };
}

/** The next try, or the deadline if that is sooner. */
function leaderDelayMs(state: Leading, context: ElectorContext): number {
  return Math.max(0, Math.min(context.timings.retryPeriodMs, deadlineMs(state, context) - context.nowMs));
}

function end(state: ElectorState, reason: EndReason): Stepped {
  // If it was stopped, that is the reason why it ends, whatever happens meanwhile.
  const why = state.at === "leading" && state.work === "ending" ? "stopped" : reason;
  return { state: { at: "ending", observed: state.observed, why }, command: { do: "end", why } };
}
