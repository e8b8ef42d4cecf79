// What a deployment's conditions say of its rollout.
//
//   Available        whether enough pods are available
//   Progressing      how the rollout goes: NewReplicaSetCreated, FoundNewReplicaSet, ReplicaSetUpdated, NewReplicaSetAvailable; False with
//                    ProgressDeadlineExceeded or ReplicaSetCreateError; Unknown with DeploymentPaused or DeploymentResumed. Absent without a
//                    deadline.
//   ReplicaFailure   why a set cannot make or delete pods
//
// The deadline counts from lastUpdateTime of Progressing, which moves with each sign of progress and when a pause ends.
import { type appsv1, findCondition, parseTime, removeCondition } from "@kubeloop/core/api";
import { putDeploymentCondition, setDeploymentCondition } from "../../domain/conditions.ts";
import { countedBy, isComplete, maxUnavailableOf, replicasOf } from "./sizes.ts";

type Deployment = appsv1.Deployment;
type Status = appsv1.DeploymentStatus;
type Conditions = readonly appsv1.DeploymentCondition[];

/** Undefined if there is none; the largest number stands for none. */
export function deadlineSecondsOf({ spec }: Deployment): number | undefined {
  const { progressDeadlineSeconds } = spec ?? {};
  return progressDeadlineSeconds === 2 ** 31 - 1 ? undefined : progressDeadlineSeconds;
}

const progressingOf = (status: Status | undefined) => findCondition(status?.conditions, "Progressing");

/** Whether its pause has ended, and its conditions do not say so yet. */
export function isResuming(deployment: Deployment): boolean {
  if (deployment.spec?.paused === true || deadlineSecondsOf(deployment) === undefined) return false;
  return progressingOf(deployment.status)?.reason === "DeploymentPaused";
}

/** The status with what is said of a pause that begins or ends; a rollout that was given up stays so. */
export function withPause(deployment: Deployment, nowMs: number): Status {
  const { status = {}, spec } = deployment;
  const reason = progressingOf(status)?.reason;
  if (isResuming(deployment)) return withProgress(status, "Unknown", resumed, nowMs);
  const isToldAlready = reason === "DeploymentPaused" || reason === "ProgressDeadlineExceeded";
  if (spec?.paused !== true || deadlineSecondsOf(deployment) === undefined || isToldAlready) return status;
  return withProgress(status, "Unknown", paused, nowMs);
}

const paused = { reason: "DeploymentPaused", message: "Deployment is paused" };
const resumed = { reason: "DeploymentResumed", message: "Deployment is resumed" };

interface Said {
  readonly reason: string;
  readonly message: string;
}

export function withProgress(status: Status, is: "True" | "False" | "Unknown", said: Said, nowMs: number): Status {
  const condition = { type: "Progressing", status: is, ...said };
  return { ...status, conditions: setDeploymentCondition(status.conditions, condition, nowMs) };
}

export function withAvailability(deployment: Deployment, status: Status, nowMs: number): Status {
  const isEnough = (status.availableReplicas ?? 0) >= replicasOf(deployment) - maxUnavailableOf(deployment);
  const condition = isEnough ? enough : notEnough;
  return { ...status, conditions: setDeploymentCondition(status.conditions, condition, nowMs) };
}

const enough = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
} as const;
const notEnough = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
} as const;

export interface RolloutState {
  /** With the status that was there before. */
  readonly deployment: Deployment;
  readonly newSet: appsv1.ReplicaSet | undefined;
  readonly oldSets: readonly appsv1.ReplicaSet[];
  readonly nowMs: number;
}

/** `status` has the counts and the availability of now. */
export function withRolloutConditions(status: Status, state: RolloutState): Status {
  const conditions = progressed(status, state);
  const failure = findFailure(state);
  if (failure !== undefined) return { ...status, conditions: putDeploymentCondition(conditions, failure) };
  return { ...status, conditions: removeCondition(conditions, "ReplicaFailure") ?? [] };
}

function progressed(status: Status, { deployment, newSet, nowMs }: RolloutState): Conditions {
  const { conditions = [] } = status;
  if (deadlineSecondsOf(deployment) === undefined) return removeCondition(conditions, "Progressing") ?? [];
  const current = progressingOf(deployment.status);
  const isOver = status.replicas === status.updatedReplicas && current?.reason === "NewReplicaSetAvailable";
  if (isOver) return conditions;
  const name = newSet?.metadata.name;
  const who = name === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${name}"`;
  if (isComplete(deployment, status)) {
    const message = `${who} has successfully progressed.`;
    return withProgress(status, "True", { reason: "NewReplicaSetAvailable", message }, nowMs).conditions ?? [];
  }
  if (hasProgressed(deployment.status ?? {}, status) || isUntold(current, newSet)) {
    const said = { reason: "ReplicaSetUpdated", message: `${who} is progressing.` };
    // Told anew even if it was told before: the deadline begins again.
    const others = removeCondition(conditions, "Progressing") ?? [];
    const renewed = setDeploymentCondition(others, { type: "Progressing", status: "True", ...said }, nowMs);
    if (current?.status !== "True" || current.lastTransitionTime === undefined) return renewed;
    const { lastTransitionTime } = current;
    return renewed.map((each) => (each.type === "Progressing" ? { ...each, lastTransitionTime } : each));
  }
  if (isTimedOut(deployment, status, nowMs)) {
    const message = `${who} has timed out progressing.`;
    return withProgress(status, "False", { reason: "ProgressDeadlineExceeded", message }, nowMs).conditions ?? [];
  }
  return conditions;
}

/**
 * Whether the condition still tells of the rollout before this one: the manager ended after it had made or scaled the newest set, and before it
 * could write the status. Upstream leaves it at that, and such a rollout has no deadline.
 */
function isUntold(current: appsv1.DeploymentCondition | undefined, newSet: appsv1.ReplicaSet | undefined): boolean {
  if (current?.reason !== "NewReplicaSetAvailable" || newSet === undefined) return false;
  const available = /^ReplicaSet "(.*)" has/.exec(current.message ?? "")?.[1];
  return available !== undefined && available !== newSet.metadata.name;
}

/** More pods of the newest template, fewer of old ones, or more that are ready or available. */
function hasProgressed(before: Status, after: Status): boolean {
  const oldOf = ({ replicas = 0, updatedReplicas = 0 }: Status) => replicas - updatedReplicas;
  const hasMore = (count: "updatedReplicas" | "readyReplicas" | "availableReplicas") =>
    (after[count] ?? 0) > (before[count] ?? 0);
  const hasMorePods = hasMore("updatedReplicas") || hasMore("readyReplicas") || hasMore("availableReplicas");
  return hasMorePods || oldOf(after) < oldOf(before);
}

function isTimedOut(deployment: Deployment, status: Status, nowMs: number): boolean {
  const reason = progressingOf(status)?.reason;
  if (reason === "ProgressDeadlineExceeded") return true;
  const atMs = deadlineMs(deployment, status);
  return atMs !== undefined && atMs < nowMs;
}

/** When the rollout is given up; undefined while it cannot be. As upstream: a condition without lastUpdateTime is older than every deadline. */
function deadlineMs(deployment: Deployment, status: Status): number | undefined {
  const seconds = deadlineSecondsOf(deployment);
  const current = progressingOf(status);
  if (seconds === undefined || current === undefined || current.reason === "NewReplicaSetAvailable") return undefined;
  return current.lastUpdateTime ? parseTime(current.lastUpdateTime) + seconds * 1000 : Number.NEGATIVE_INFINITY;
}

/** When to look again whether the rollout is stuck: no event tells of that. A second later, because times are whole seconds. */
export function progressCheckInMs(deployment: Deployment, status: Status, nowMs: number): number | undefined {
  const atMs = deadlineMs(deployment, status);
  const isOver = isComplete(deployment, status) || progressingOf(status)?.reason === "ProgressDeadlineExceeded";
  return atMs === undefined || isOver ? undefined : Math.max(atMs - nowMs, 0) + 1000;
}

/** That of the newest set, or else of the oldest that has one. */
function findFailure({ newSet, oldSets }: RolloutState): appsv1.DeploymentCondition | undefined {
  const sets = newSet === undefined ? oldSets : [newSet, ...oldSets];
  for (const { status } of sets) {
    const found = findCondition(status?.conditions, "ReplicaFailure");
    if (found === undefined) continue;
    const { lastTransitionTime } = found;
    return { ...found, ...(lastTransitionTime === undefined ? {} : { lastUpdateTime: lastTransitionTime }) };
  }
  return undefined;
}

/** How many pods the sets have, as the status counts them. */
export function countsOf({ newSet, oldSets }: Pick<RolloutState, "newSet" | "oldSets">, wanted: number): Status {
  const sets = [...oldSets, newSet];
  const availableReplicas = countedBy(sets, "availableReplicas");
  return {
    replicas: countedBy(sets, "replicas"),
    updatedReplicas: countedBy([newSet], "replicas"),
    readyReplicas: countedBy(sets, "readyReplicas"),
    availableReplicas,
    // Sets that shrink may have more available than they want.
    unavailableReplicas: Math.max(wanted - availableReplicas, 0),
  };
}
