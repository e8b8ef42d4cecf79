// Leader election as a pure state machine: its input is what happened, its output is the next command. The driver (leader-elector.ts) executes
// one command at a time and reports the result.
//
// Rules
// - Time is local and monotonic. What counts is when *this process* first saw the lease in its current state, never the times that others
//   wrote into the lease.
// - A contender takes a lease that has no holder, or that has not changed for the lease duration written in it.
// - A leader counts its renew deadline from when it *sent* its last successful renewal. Other replicas saw that renewal later, and they wait for
//   the lease duration, which is longer than the deadline. So the leader has stopped before another replica may start, as long as no clock runs
//   faster than another by more than the ratio of lease duration to renew deadline.
// - A leader that sees another holder has lost the lease, even before its deadline.
// - The timeout of a request is at most half of the renew deadline, so that after a lost request there is time for another one.
// - A leader that is stopped first ends its work, and renews the lease until the work has ended. So no other replica starts meanwhile, however
//   long that takes.
// - The server may have executed a write whose answer was lost. A contender that finds itself as the holder continues as the holder.
//
// Not promised: that work which ignores its signal has ended. Writers that need this guarantee can use the fencing token.
import { assertNever } from "../base/index.ts";
import { type ElectionTimings, retryJitter } from "./election-timings.ts";
import { isSameRecord, type LeaseRecord, leaseTime, type SeenLease } from "./lease-record.ts";

/** The current state of the lease, and since when this process has seen it in that state. */
export interface Observation {
  readonly lease: SeenLease;
  readonly sinceMs: number;
}

export type ElectorState =
  /** This process does not hold the lease. */
  | { readonly at: "contending"; readonly observed: Observation | undefined }
  /** This process holds the lease until `renewedMs` + the renew deadline. */
  | {
      readonly at: "leading";
      readonly observed: Observation;
      readonly renewedMs: number;
      readonly token: number;
      /** "ending": the elector was stopped, and holds the lease until the work has ended. */
      readonly work: "running" | "ending";
      /** "fast": a renewal writes on top of the remembered lease. "slow": that write failed, so the lease is read first, once. */
      readonly path: "fast" | "slow";
    }
  /** This process no longer leads, and its work is being ended. */
  | { readonly at: "ending"; readonly observed: Observation | undefined; readonly why: EndReason };

/** `lost`: another holds the lease, or it could not be renewed in time. `stopped`: the signal aborted. `finished`: the work ended by itself. */
export type EndReason = "lost" | "stopped" | "finished";

export type LeaseWrite = { readonly base: SeenLease | undefined; readonly record: LeaseRecord };

export type Answer =
  | { readonly kind: "lease"; readonly lease: SeenLease }
  | { readonly kind: "absent" }
  /** The request was refused or failed, or its timeout passed. */
  | { readonly kind: "failed" };

export type ElectorInput =
  /** The elector was started, or its wait is over. */
  | { readonly kind: "due" }
  | { readonly kind: "read"; readonly answer: Answer }
  /** `sentMs` is the time when the request was sent. */
  | { readonly kind: "written"; readonly answer: Answer; readonly sentMs: number }
  | { readonly kind: "workEnded" }
  | { readonly kind: "stop" };

export type ElectorCommand =
  | { readonly do: "read"; readonly limitMs: number }
  | { readonly do: "write"; readonly write: LeaseWrite; readonly limitMs: number }
  | { readonly do: "wait"; readonly delayMs: number }
  /** Start the work, and wait. */
  | { readonly do: "lead"; readonly token: number; readonly delayMs: number }
  /** Abort the work, and wait. */
  | { readonly do: "endWork"; readonly delayMs: number }
  /** Abort the work, if it was started, and wait for it; then the election is over. */
  | { readonly do: "end"; readonly why: EndReason };

export interface ElectorContext {
  readonly identity: string;
  readonly timings: ElectionTimings;
  readonly nowMs: number;
  /** Wall time, only for the times that are written into the lease. */
  readonly wallMs: number;
  /** A random number in [0, 1), for the jitter. */
  readonly chance: number;
}

export interface Stepped {
  readonly state: ElectorState;
  readonly command: ElectorCommand;
  /** A renewal by the leader had to read the lease first. For the metric. */
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
  // If somebody deleted the lease, the transitions continue from the last ones seen, because a fencing token must not be used twice.
  const write = { base: lease, record: takeover((lease ?? state.observed?.lease)?.record, context) };
  return { state: next, command: { do: "write", write, limitMs: requestLimitMs(context) } };
}

function afterTakeover(state: Contending, { answer, sentMs }: Written, context: ElectorContext): Stepped {
  if (answer.kind !== "lease") return { state, command: contenderWait(context) };
  const observed = { lease: answer.lease, sinceMs: context.nowMs };
  // The answer is so late that another replica may hold the lease by now. The lease is read again.
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
    // Somebody deleted the lease, and no other replica holds it: it is created again with the same transitions.
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

/** Returns the record to write to become the holder. If this process is the holder already, transitions stay; otherwise they grow by one. */
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

/** If the record has not changed, the time when it was first seen is kept. */
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

/** Half of the renew deadline, so that after a request without an answer there is time for another one. */
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

/** Returns the time until the next renewal, or until the deadline if that is earlier. */
function leaderDelayMs(state: Leading, context: ElectorContext): number {
  return Math.max(0, Math.min(context.timings.retryPeriodMs, deadlineMs(state, context) - context.nowMs));
}

function end(state: ElectorState, reason: EndReason): Stepped {
  // If the elector was stopped before, the reason stays "stopped", even if the lease is lost or the work ends meanwhile.
  const why = state.at === "leading" && state.work === "ending" ? "stopped" : reason;
  return { state: { at: "ending", observed: state.observed, why }, command: { do: "end", why } };
}
