// The replicaset controller in the contract: it claims pods, keeps as many active ones as are wanted, and tells how many there are.
//
// Watches its pods, and orphans that a set's selector matches. Writes pods, and the status of replicasets.
import {
  type appsv1,
  controllerOf,
  type corev1,
  matchesSelector,
  removeCondition,
  selectorFromLabels,
} from "@kubeloop/core/api";
import {
  create,
  type DecideContext,
  type Decision,
  editStatus,
  keyed,
  type Outcome,
  owned,
  type Plan,
  plan,
  removeObject,
  slowStart,
  statusVerbs,
  type View,
  verbs,
} from "@kubeloop/core/contract";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { isPodActive, isPodTerminating } from "@kubeloop/core/rules";
import { checkAdoption, claimChildren } from "../domain/claim.ts";
import { setReplicaCondition } from "../domain/conditions.ts";
import { inDeletionOrder } from "../domain/deletion-order.ts";
import { wakesMatching } from "../domain/orphan-watch.ts";
import { podAvailability } from "../domain/pod-availability.ts";
import { findPodFailure, podEvents } from "../domain/pod-events.ts";
import { podFromTemplate } from "../domain/pod-from-template.ts";
import { childrenOf, orphansNear, podsByController, replicaSetsByController } from "../domain/pods-by-controller.ts";

/** At most so many pods are made or deleted at a time. */
const burst = 500;

export interface ReplicaSetSeen {
  readonly set: appsv1.ReplicaSet;
  readonly owned: readonly corev1.Pod[];
  readonly orphans: readonly corev1.Pod[];
  /** Of all sets with the same controller, these among them. */
  readonly related: readonly corev1.Pod[];
}

/** What `report` counts. */
interface Counted {
  readonly active: readonly corev1.Pod[];
  readonly terminating: number;
}

export function observe(key: string, { snapshot }: View): ReplicaSetSeen | undefined {
  const set = snapshot.get(replicaSets, key);
  if (set === undefined) return undefined;
  const owner = controllerOf(set);
  const siblings = owner === undefined ? [] : snapshot.byIndex(replicaSetsByController, owner.uid);
  return {
    set,
    owned: childrenOf(snapshot, podsByController, set),
    orphans: orphansNear(snapshot, podsByController, set),
    related: siblings.flatMap((sibling) => childrenOf(snapshot, podsByController, sibling)),
  };
}

export function decide(seen: ReplicaSetSeen, context: DecideContext): Decision<Counted> {
  const { set, related } = seen;
  const { nowMs } = context;
  const { selector } = set.spec ?? {};
  const claim = (owned: readonly corev1.Pod[], orphans: readonly corev1.Pod[]) =>
    claimChildren(pods, { owner: set, selector, owned, orphans });
  const claimed = claim(seen.owned.filter(isPodActive), seen.orphans.filter(isPodActive));
  const unsettled = checkAdoption(replicaSets, set, claimed, context);
  if (unsettled !== undefined) return unsettled;
  const { mine: active, edits } = claimed;
  const { replicas = 1, minReadySeconds, template } = set.spec ?? {};
  const options = {
    notes: { active, terminating: claim(seen.owned.filter(isPodTerminating), []).mine.length },
    requeueAfterMs: podAvailability(active, { minReadySeconds, nowMs }).nextInMs,
  };
  if (set.metadata.deletionTimestamp !== undefined) return plan("is being deleted", [edits], options);
  const missing = Math.min(replicas - active.length, burst);
  const excess = Math.min(active.length - replicas, burst);
  const creations = Array.from({ length: Math.max(missing, 0) }, () =>
    create(pods, podFromTemplate(template, set), { tolerates: ["NamespaceTerminating"] }),
  );
  const victims = excess > 0 ? inDeletionOrder(active, { nowMs, related }).slice(0, excess) : [];
  const deletions = victims.map((pod) => removeObject(pods, pod, { tolerates: ["NotFound"] }));
  return plan(`${active.length} of ${replicas}`, [edits, ...slowStart(creations), deletions], options);
}

export function report({ set }: ReplicaSetSeen, outcome: Outcome<Counted>, { nowMs }: DecideContext): Plan | undefined {
  // While it is not settled whose the pods are, there is nothing to count.
  const isClaimed = outcome.find({ type: "edit" }).every(({ action }) => outcome.isDone(action));
  if (outcome.notes === undefined || !isClaimed) return undefined;
  const { active, terminating } = outcome.notes;
  const { minReadySeconds, template } = set.spec ?? {};
  const { ready, available } = podAvailability(active, { minReadySeconds, nowMs });
  const labels = selectorFromLabels(template?.metadata?.labels ?? {});
  const status: appsv1.ReplicaSetStatus = {
    ...set.status,
    replicas: active.length,
    fullyLabeledReplicas: active.filter(({ metadata }) => matchesSelector(labels, metadata.labels)).length,
    readyReplicas: ready,
    availableReplicas: available,
    terminatingReplicas: terminating,
    observedGeneration: set.metadata.generation ?? 0,
    conditions: conditionsAfter(set, outcome, nowMs),
  };
  return plan("tell", [[editStatus(replicaSets, set, { ...set, status })], podEvents(set, outcome)]);
}

/** A failure stays as it was first told until there is none. */
function conditionsAfter({ status }: appsv1.ReplicaSet, outcome: Outcome, nowMs: number) {
  const failure = findPodFailure(outcome);
  const without = removeCondition(status?.conditions, "ReplicaFailure") ?? [];
  if (failure === undefined) return without;
  if (without !== status?.conditions && status?.conditions !== undefined) return status.conditions;
  return setReplicaCondition(without, { type: "ReplicaFailure", status: "True", ...failure }, nowMs);
}

export const replicaSetController = keyed<ReplicaSetSeen, Counted>({
  name: "replicaset-controller",
  primary: replicaSets,
  watches: [owned(pods), wakesMatching(pods, replicaSets, ({ spec }) => spec?.selector)],
  indexes: [podsByController, replicaSetsByController],
  reads: [verbs(replicaSets, "get")],
  writes: [verbs(pods, "create", "delete", "patch"), statusVerbs(replicaSets, "update")],
  workers: 5,
  observe,
  decide,
  report,
});
