// The status of a budget: what is healthy, what is allowed, and which evictions are still to be seen.
import { type corev1, findCondition, parseTime, type policyv1, setCondition } from "@kubeloop/core/api";
import { isPodReady } from "@kubeloop/core/rules";

type Budget = policyv1.PodDisruptionBudget;
type Status = policyv1.PodDisruptionBudgetStatus;

/** How long an evicted pod may take to be seen as deleted: upstream's DeletionTimeout. */
export const deletionTimeoutMs = 120_000;

const disruptionAllowed = "DisruptionAllowed";

export interface Disrupted {
  /** By name, when each was evicted: those that are neither deleted nor overdue. */
  readonly pods: Readonly<Record<string, string>>;
  /** Those that should have been deleted by now. */
  readonly overdue: readonly corev1.Pod[];
  /** When the next one is overdue, from now; undefined if there is none. */
  readonly nextInMs: number | undefined;
}

export function findDisrupted({ status }: Budget, pods: readonly corev1.Pod[], nowMs: number): Disrupted {
  const noted = status?.disruptedPods ?? {};
  const kept: Record<string, string> = {};
  const overdue: corev1.Pod[] = [];
  let nextMs = Number.POSITIVE_INFINITY;
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    const since = Object.hasOwn(noted, name) ? noted[name] : undefined;
    if (deletionTimestamp !== undefined || since === undefined) continue;
    const expectedMs = parseTime(since) + deletionTimeoutMs;
    if (expectedMs < nowMs) overdue.push(pod);
    else {
      kept[name] = since;
      // One that is due this very moment is not overdue yet.
      nextMs = Math.min(nextMs, expectedMs + 1 - nowMs);
    }
  }
  return { pods: kept, overdue, nextInMs: Number.isFinite(nextMs) ? nextMs : undefined };
}

export function countHealthy(pods: readonly corev1.Pod[], disrupted: Disrupted["pods"], nowMs: number): number {
  return pods.filter((pod) => {
    const { name = "", deletionTimestamp } = pod.metadata;
    const since = Object.hasOwn(disrupted, name) ? disrupted[name] : undefined;
    const isLeaving = since !== undefined && parseTime(since) + deletionTimeoutMs > nowMs;
    return deletionTimestamp === undefined && !isLeaving && isPodReady(pod);
  }).length;
}

export interface Counts {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptedPods: Disrupted["pods"];
}

/** Returns the budget with its new status; the very budget if the status is up to date. */
export function withCounts(budget: Budget, counts: Counts, nowMs: number): Budget {
  const { currentHealthy, desiredHealthy, expectedPods, disruptedPods } = counts;
  const { generation = 0 } = budget.metadata;
  // Where nothing is expected, nothing is allowed: the first pods may come before the status has heard of them.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const conditions = setCondition(
    budget.status?.conditions,
    {
      type: disruptionAllowed,
      status: disruptionsAllowed > 0 ? "True" : "False",
      reason: disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods",
      message: "",
      observedGeneration: generation,
    },
    nowMs,
  );
  const status: Status = {
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    observedGeneration: generation,
    conditions,
  };
  return isUpToDate(budget.status, status) ? budget : { ...budget, status };
}

/** Returns the budget with a status that allows nothing, and says why; what it knew of its pods stays. */
export function withFailure(budget: Budget, error: Error, nowMs: number): Budget {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, observedGeneration, ...rest } = budget.status ?? {};
  const conditions = setCondition(
    rest.conditions,
    {
      type: disruptionAllowed,
      status: "False",
      reason: "SyncFailed",
      message: error.message,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
    },
    nowMs,
  );
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  const counts = { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed: 0 };
  return { ...budget, status: { ...rest, ...generation, ...counts, conditions } };
}

/** The message of the condition does not count, and neither does the generation that it names. */
function isUpToDate(before: Status | undefined, after: Status): boolean {
  const old = findCondition(before?.conditions, disruptionAllowed);
  const now = findCondition(after.conditions, disruptionAllowed);
  const numbers = [
    "currentHealthy",
    "desiredHealthy",
    "expectedPods",
    "disruptionsAllowed",
    "observedGeneration",
  ] as const;
  return (
    numbers.every((field) => (before?.[field] ?? 0) === (after[field] ?? 0)) &&
    hasSameEvictions(before?.disruptedPods, after.disruptedPods) &&
    old?.status === now?.status &&
    old?.reason === now?.reason
  );
}

/** Compares numbers only: `findDisrupted` leaves out pods of the old status, and neither adds one nor changes its time. */
function hasSameEvictions(before: Disrupted["pods"] = {}, after: Disrupted["pods"] = {}): boolean {
  return Object.keys(before).length === Object.keys(after).length;
}
