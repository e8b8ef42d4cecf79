// What may be said about a Job's pods and its end. Other controllers may run Jobs too, so that every step is watched: what has
// ended stays ended, counters do not fall, and the parts of the status agree. A rule holds only where the parts it is about change,
// so that a faulty status of old does not stop everything.
import { type batchv1, compareTimes } from "@kubeloop/core/api";
import { checkNonNegative } from "../shared/checks.ts";
import { isSame } from "../shared/same.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { zeroTime } from "../shared/zero-time.ts";
import { firstOverlap, parseIndexes } from "./index-intervals.ts";

type Job = batchv1.Job;
type JobStatus = batchv1.JobStatus;

/** A status in short: which conditions hold. */
interface State {
  readonly status: JobStatus;
  readonly isComplete: boolean;
  readonly isFailed: boolean;
  readonly isFinished: boolean;
  readonly isFailureTarget: boolean;
  readonly isSuccessCriteriaMet: boolean;
  readonly suspended: string | undefined;
}

function stateOf({ status = {} }: Job): State {
  const holds = (type: string) =>
    (status.conditions ?? []).some((each) => each.type === type && each.status === "True");
  const [isComplete, isFailed] = [holds("Complete"), holds("Failed")];
  return {
    status,
    isComplete,
    isFailed,
    isFinished: isComplete || isFailed,
    isFailureTarget: holds("FailureTarget"),
    isSuccessCriteriaMet: holds("SuccessCriteriaMet"),
    suspended: (status.conditions ?? []).find(({ type }) => type === "Suspended")?.status,
  };
}

type Part = Exclude<keyof State, "status"> | keyof JobStatus;

/** One change of status, as the rules see it. */
class Change {
  readonly spec: batchv1.JobSpec;
  readonly now: State;
  readonly before: State;

  constructor(job: Job, old: Job) {
    this.spec = job.spec;
    this.now = stateOf(job);
    this.before = stateOf(old);
  }

  /** Whether any of these is another than before. */
  of(...parts: readonly Part[]): boolean {
    return parts.some((part) => {
      if (part in this.now) return this.now[part as keyof State] !== this.before[part as keyof State];
      return !isSame(this.now.status[part as keyof JobStatus], this.before.status[part as keyof JobStatus]);
    });
  }
}

export function checkJobStatus(job: Job, fldPath: ValidationPath, old: Job): void {
  const change = new Change(job, old);
  checkCounts(change.now.status, fldPath);
  for (const rule of [checkEnd, checkTimes, checkLeftovers, checkIndexes, checkCriteria, checkSteps])
    rule(change, fldPath);
}

const counters = ["active", "succeeded", "failed", "ready", "terminating"] as const;

function checkCounts(status: JobStatus, fldPath: ValidationPath): void {
  for (const field of counters) checkNonNegative(status[field], fldPath.at(field));
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [i, uid] of (status.uncountedTerminatedPods?.[list] ?? []).entries()) {
      const uidPath = fldPath.at("uncountedTerminatedPods", list).item(i);
      if (uid === "") uidPath.invalid(uid, "must not be empty");
      else if (seen.has(uid)) uidPath.duplicate(uid);
      seen.add(uid);
    }
  }
}

function checkEnd(change: Change, fldPath: ValidationPath): void {
  const { isComplete, isFailed, isFailureTarget } = change.now;
  const conditions = fldPath.at("conditions");
  if (change.of("isComplete", "isFailed") && isComplete && isFailed) {
    conditions.invalidWithoutValue("cannot set Complete=True and Failed=true conditions");
  }
  if (change.of("isComplete", "isFailureTarget") && isComplete && isFailureTarget) {
    conditions.invalidWithoutValue("cannot set Complete=True and FailureTarget=true conditions");
  }
}

function checkTimes(change: Change, fldPath: ValidationPath): void {
  const { isComplete, isFailed, isFailureTarget, isSuccessCriteriaMet, status } = change.now;
  const { startTime, completionTime } = status;
  const completionPath = fldPath.at("completionTime");
  if (change.of("isComplete", "completionTime")) {
    if (completionTime !== undefined && !isComplete) {
      completionPath.invalid(completionTime, "cannot set completionTime when there is no Complete=True condition");
    }
    if (completionTime === undefined && isComplete) {
      completionPath.required("completionTime is required for Complete jobs");
    }
  }
  if (change.of("startTime", "completionTime") && startTime !== undefined && completionTime !== undefined) {
    if (compareTimes(completionTime ?? zeroTime, startTime ?? zeroTime) < 0) {
      completionPath.invalid(completionTime, "must be equal to or after `startTime`");
    }
  }
  if (change.of("isFailed", "failedIndexes") && isFailed && !isFailureTarget) {
    const why = "cannot set Failed=True condition without the FailureTarget=true condition";
    fldPath.at("conditions").invalidWithoutValue(why);
  }
  if (change.of("isComplete", "isSuccessCriteriaMet") && isComplete && !isSuccessCriteriaMet) {
    const why = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
    fldPath.at("conditions").invalidWithoutValue(why);
  }
}

/** What a finished Job may not have any more. */
function checkLeftovers(change: Change, fldPath: ValidationPath): void {
  const { isFinished, status } = change.now;
  if (!isFinished) return;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  if (change.of("isFinished", "active") && active > 0) {
    fldPath.at("active").invalid(active, "active>0 is invalid for finished job");
  }
  const isEmptyAndSuspended = change.spec.suspend === true && change.spec.completions === 0;
  if (change.of("isFinished", "startTime") && !isEmptyAndSuspended && startTime === undefined) {
    fldPath.at("startTime").required("startTime is required for finished job");
  }
  const left = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
  if (change.of("isFinished", "uncountedTerminatedPods") && left > 0) {
    const shown = { Succeeded: uncounted?.succeeded ?? null, Failed: uncounted?.failed ?? null };
    fldPath.at("uncountedTerminatedPods").invalid(shown, "must be empty for finished job");
  }
}

function checkIndexes(change: Change, fldPath: ValidationPath): void {
  const { spec } = change;
  const { completedIndexes = "", failedIndexes, ready, active = 0, terminating = 0 } = change.now.status;
  const completedPath = fldPath.at("completedIndexes");
  const failedPath = fldPath.at("failedIndexes");
  const check = (indexes: string, field: string, indexesPath: ValidationPath) => {
    const parsed = parseIndexes(indexes, spec.completions ?? 0);
    if (typeof parsed === "string") indexesPath.invalid(indexes, `error parsing ${field}: ${parsed}`);
  };
  const [isCompletedNew, isFailedNew] = [change.of("completedIndexes"), change.of("failedIndexes")];
  const isCounted = spec.completions !== undefined;
  if (isCompletedNew && isCounted) check(completedIndexes, "completedIndexes", completedPath);
  if (isFailedNew && isCounted && spec.backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    check(failedIndexes, "failedIndexes", failedPath);
  }
  if (isCompletedNew && completedIndexes !== "" && spec.completionMode !== "Indexed") {
    const why = "cannot set non-empty completedIndexes when non-indexed completion mode";
    completedPath.invalid(completedIndexes, why);
  }
  if (isFailedNew && spec.backoffLimitPerIndex === undefined && failedIndexes !== undefined) {
    failedPath.invalid(failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if ((isFailedNew || isCompletedNew) && isCounted && failedIndexes !== undefined) {
    const overlap = firstOverlap(completedIndexes, failedIndexes, spec.completions ?? 0);
    if (overlap !== undefined) {
      const why = `failedIndexes and completedIndexes overlap at index: ${overlap}`;
      failedPath.invalid(failedIndexes, why);
    }
  }
  if (change.of("isFinished", "terminating") && terminating > 0 && change.now.isFinished) {
    fldPath.at("terminating").invalid(terminating, "terminating>0 is invalid for finished job");
  }
  if (change.of("ready", "active") && ready !== undefined && ready > active) {
    fldPath.at("ready").invalid(ready, "cannot set more ready pods than active");
  }
}

/** These hold whatever changes. */
function checkCriteria({ spec, now }: Change, fldPath: ValidationPath): void {
  const conditions = fldPath.at("conditions");
  if (now.isSuccessCriteriaMet && now.isFailed) {
    conditions.invalidWithoutValue("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  }
  if (now.isSuccessCriteriaMet && now.isFailureTarget) {
    conditions.invalidWithoutValue("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (spec.successPolicy !== undefined && !now.isSuccessCriteriaMet && now.isComplete) {
    const why = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
    conditions.invalidWithoutValue(why);
  }
}

const terminalConditions = [
  ["isFailed", "Failed"],
  ["isComplete", "Complete"],
  ["isFailureTarget", "FailureTarget"],
] as const;

/** From one status to the next. */
function checkSteps({ spec, now, before }: Change, fldPath: ValidationPath): void {
  const conditions = fldPath.at("conditions");
  for (const [field, type] of terminalConditions) {
    if (before[field] && !now[field])
      conditions.invalidWithoutValue(`cannot disable the terminal ${type}=True condition`);
  }
  const { failed = 0, succeeded = 0, completionTime, startTime } = now.status;
  if (failed < (before.status.failed ?? 0)) fldPath.at("failed").invalid(failed, "cannot decrease the failed counter");
  // Indexed Jobs whose indexes all run at once can be made smaller.
  const canShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (!canShrink && succeeded < (before.status.succeeded ?? 0)) {
    fldPath.at("succeeded").invalid(succeeded, "cannot decrease the succeeded counter");
  }
  const { completionTime: oldCompletion, startTime: oldStart } = before.status;
  if (completionTime !== undefined && oldCompletion !== undefined && completionTime !== oldCompletion) {
    fldPath.at("completionTime").invalid(completionTime, "field is immutable");
  }
  const isResuming = before.suspended === "True" && now.suspended === "False";
  if (oldStart !== undefined && startTime !== oldStart && spec.suspend !== true && !isResuming) {
    fldPath.at("startTime").invalid(startTime ?? null, "field is immutable for unsuspended job once set");
  }
  if (before.isSuccessCriteriaMet && !now.isSuccessCriteriaMet) {
    conditions.invalidWithoutValue("cannot disable the SuccessCriteriaMet=True condition");
  }
  if (before.isComplete && !before.isSuccessCriteriaMet && now.isSuccessCriteriaMet) {
    conditions.invalidWithoutValue("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}
