// Conditions of built-in kinds that are older than `meta/v1`'s, and keep their times each in its own way. (`setCondition` of
// `@kubeloop/core/api` is for those of `meta/v1`, `findCondition` and `removeCondition` are for all.)
//
//   setReplicaCondition     replicasets, replicationcontrollers: the same status and reason leave it alone, message or not; else it is a
//                           new one, at the end of the list
//   setDeploymentCondition  the same, but lastTransitionTime moves only with the status, and lastUpdateTime always
//   setJobCondition         any difference makes it a new one, in its place; what is False and was not there is not added
//   setPodCondition         pods, nodes, autoscalers: in its place; lastTransitionTime moves only with the status
//
// The very list comes back when nothing changes, so that `===` tells whether there is anything to write.
import { type appsv1, type batchv1, findCondition, printTime } from "@kubeloop/core/api";

export interface ConditionFacts {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

type ReplicaCondition = appsv1.ReplicaSetCondition;
type List<T> = readonly T[];

export function setReplicaCondition(
  conditions: List<ReplicaCondition> | undefined,
  facts: ConditionFacts,
  nowMs: number,
): List<ReplicaCondition> {
  const existing = findCondition(conditions, facts.type);
  if (conditions !== undefined && existing !== undefined && isSameState(existing, facts)) return conditions;
  return atTheEnd(conditions, { ...facts, lastTransitionTime: printTime(nowMs) });
}

export function setDeploymentCondition(
  conditions: List<appsv1.DeploymentCondition> | undefined,
  facts: ConditionFacts,
  nowMs: number,
): List<appsv1.DeploymentCondition> {
  const now = printTime(nowMs);
  return putDeploymentCondition(conditions, { ...facts, lastUpdateTime: now, lastTransitionTime: now });
}

/** The same for one that has its times already: that of a ReplicaSet, for example. */
export function putDeploymentCondition(
  conditions: List<appsv1.DeploymentCondition> | undefined,
  condition: appsv1.DeploymentCondition,
): List<appsv1.DeploymentCondition> {
  const { type, status, reason } = condition;
  const existing = findCondition(conditions, type);
  const isSame = existing?.status === status && (existing.reason ?? "") === (reason ?? "");
  if (conditions !== undefined && isSame) return conditions;
  const lastTransitionTime = existing?.status === status ? existing.lastTransitionTime : condition.lastTransitionTime;
  return atTheEnd(conditions, { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) });
}

export function setJobCondition(
  conditions: List<batchv1.JobCondition> | undefined,
  facts: ConditionFacts,
  nowMs: number,
): List<batchv1.JobCondition> {
  const existing = findCondition(conditions, facts.type);
  if (existing === undefined && facts.status === "False") return conditions ?? [];
  if (conditions !== undefined && existing !== undefined && isSameText(existing, facts)) return conditions;
  const now = printTime(nowMs);
  return inItsPlace(conditions, { ...facts, lastProbeTime: now, lastTransitionTime: now });
}

interface TimedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Fields that `facts` does not name stay as they are: a node's lastHeartbeatTime. */
export function setPodCondition<T extends TimedCondition>(
  conditions: List<T> | undefined,
  facts: ConditionFacts,
  nowMs: number,
): List<T | (ConditionFacts & { readonly lastTransitionTime?: string })> {
  const existing = findCondition(conditions, facts.type);
  if (conditions !== undefined && existing !== undefined && isSameText(existing, facts)) return conditions;
  return inItsPlace(conditions, { ...existing, ...facts, ...transitionOf(existing, facts, nowMs) });
}

function transitionOf(existing: TimedCondition | undefined, facts: ConditionFacts, nowMs: number) {
  if (existing?.status !== facts.status) return { lastTransitionTime: printTime(nowMs) };
  return existing.lastTransitionTime === undefined ? {} : { lastTransitionTime: existing.lastTransitionTime };
}

const isSameState = (existing: TimedCondition, { status, reason = "" }: ConditionFacts) =>
  existing.status === status && (existing.reason ?? "") === reason;

const isSameText = (existing: TimedCondition, facts: ConditionFacts) =>
  isSameState(existing, facts) && (existing.message ?? "") === (facts.message ?? "");

function atTheEnd<T extends TimedCondition>(conditions: List<T> = [], changed: T): List<T> {
  return [...conditions.filter(({ type }) => type !== changed.type), changed];
}

function inItsPlace<T extends TimedCondition, U extends TimedCondition>(
  conditions: List<T> = [],
  changed: U,
): List<T | U> {
  if (findCondition(conditions, changed.type) === undefined) return [...conditions, changed];
  return conditions.map((condition) => (condition.type === changed.type ? changed : condition));
}
