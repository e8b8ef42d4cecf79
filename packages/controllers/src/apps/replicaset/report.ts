// The status of a ReplicaSet after a plan was carried out: what there was when it was looked at, and what failed since.
import { type appsv1, matchesSelector, removeCondition, selectorFromLabels } from "@kubeloop/core/api";
import { type DecideContext, editStatus, type Outcome, type Plan, plan } from "@kubeloop/core/contract";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { setReplicaCondition } from "../../domain/conditions.ts";
import { podAvailability } from "../../domain/pod-availability.ts";
import { findPodFailure, podEvents } from "../../domain/pod-events.ts";
import type { Counted } from "./decide.ts";
import type { Observed } from "./observe.ts";

export const newReport =
  ({ countsTerminating }: { readonly countsTerminating: boolean }) =>
  ({ set }: Observed, outcome: Outcome<Counted>, { nowMs }: DecideContext): Plan | undefined => {
    // As long as it is not settled whose the pods are, there is nothing to count.
    const isClaimed = outcome.find({ type: "edit", resource: pods }).every(({ action }) => outcome.isDone(action));
    if (outcome.notes === undefined || !isClaimed) return undefined;

    const { active, terminating } = outcome.notes;
    const { minReadySeconds, template } = set.spec ?? {};
    const templateLabels = selectorFromLabels(template?.metadata?.labels ?? {});
    const { ready, available } = podAvailability(active, { minReadySeconds, nowMs });
    const { terminatingReplicas: _, ...before } = set.status ?? {};
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
    return plan("status", [[editStatus(replicaSets, set, { ...set, status })], podEvents(set, outcome)]);
  };

/** A failure keeps its first reason, message and time until a plan goes through without one. */
function conditionsAfter({ status }: appsv1.ReplicaSet, outcome: Outcome<Counted>, nowMs: number) {
  const before = status?.conditions ?? [];
  const failure = findPodFailure(outcome);
  if (failure === undefined) return removeCondition(before, "ReplicaFailure") ?? [];
  const isReported = before.some(({ type }) => type === "ReplicaFailure");
  return isReported
    ? before
    : setReplicaCondition(before, { type: "ReplicaFailure", status: "True", ...failure }, nowMs);
}
