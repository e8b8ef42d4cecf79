// The status of a ReplicaSet after a plan was carried out: what there was when it was looked at, and what failed since.
import { type appsv1, matchesSelector, removeCondition, selectorFromLabels } from "@kubeloop/core/api";
import { type DecideContext, type Outcome, type Plan, plan } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { setReplicaCondition } from "../../domain/conditions.ts";
import { podAvailability } from "../../domain/pod-availability.ts";
import { findPodFailure, podEvents } from "../../domain/pod-events.ts";
import type { CountedPods } from "./decide.ts";
import type { Observed } from "./observe.ts";
import { type ReplicaKind, replicaSetKind } from "./replica-kind.ts";

export interface ReportOptions {
  /** ReplicaSets unless given. */
  readonly kind?: ReplicaKind;
  readonly countsTerminating: boolean;
}

export const newReport =
  ({ kind = replicaSetKind, countsTerminating }: ReportOptions) =>
  ({ set }: Observed, outcome: Outcome<CountedPods>, { nowMs }: DecideContext): Plan | undefined => {
    // After an adoption or release that failed, the counts would be of pods that may not be the set's.
    const areClaimsDone = outcome.find({ type: "edit", resource: pods }).every(({ action }) => outcome.isDone(action));
    if (outcome.notes === undefined || !areClaimsDone) return undefined;

    const { active, terminating } = outcome.notes;
    const { minReadySeconds, template } = set.spec ?? {};
    const templateLabels = selectorFromLabels(template?.metadata?.labels ?? {});
    const { ready, available, nextInMs } = podAvailability(active, { minReadySeconds, nowMs });
    // Taken out, so that a gate that was turned off leaves no old count behind.
    const { terminatingReplicas: _old, ...before } = set.status ?? {};
    const status: appsv1.ReplicaSetStatus = {
      ...before,
      replicas: active.length,
      fullyLabeledReplicas: active.filter(({ metadata }) => matchesSelector(templateLabels, metadata.labels)).length,
      readyReplicas: ready,
      availableReplicas: available,
      ...(countsTerminating ? { terminatingReplicas: terminating.length } : {}),
      observedGeneration: set.metadata.generation ?? 0,
      conditions: conditionsAfter(set, outcome, nowMs),
    };
    // In one step: events are recorded whether or not the status can be written.
    const step = [...podEvents(set, outcome), kind.editStatus(set, { ...set, status })];
    return plan("status", [step], { requeueAfterMs: nextInMs });
  };

/** A failure keeps its first reason, message and time until a plan goes through without one. */
function conditionsAfter({ status }: appsv1.ReplicaSet, outcome: Outcome<CountedPods>, nowMs: number) {
  const before = status?.conditions ?? [];
  const failure = findFailure(outcome);
  if (failure === undefined) return removeCondition(before, "ReplicaFailure") ?? [];
  const isReported = before.some(({ type }) => type === "ReplicaFailure");
  return isReported
    ? before
    : setReplicaCondition(before, { type: "ReplicaFailure", status: "True", ...failure }, nowMs);
}

function findFailure(outcome: Outcome<CountedPods>) {
  const unusable = outcome.notes?.unusableTemplate;
  return unusable === undefined ? findPodFailure(outcome) : { reason: "FailedCreate", message: unusable.message };
}
