// The rules of the pod garbage collector: which pods are deleted, why, and what is written about them before.
import { type corev1, findCondition, keyOf, parseTime } from "@kubeloop/core/api";
import {
  type Action,
  ask,
  counter,
  type DecideContext,
  type Decision,
  inOrder,
  liveGet,
  nothing,
  patch,
  plan,
  removeObject,
} from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import { isPodTerminal } from "@kubeloop/core/rules";
import { disruptionTarget } from "../../domain/disruption-target.ts";
import type { MissingNode, Observed, TerminatingPod } from "./observe.ts";

type Pod = corev1.Pod;

export interface DecideOptions {
  readonly terminatedThreshold: number;
  readonly quarantineMs: number;
}

/** As upstream's metrics name them. */
export type Reason = "terminated" | "out-of-service" | "orphaned" | "unscheduled";

/** For `report`: by action, whose it is. */
export type Collected = ReadonlyMap<Action, { readonly pod: Pod; readonly reason: Reason }>;

const labels = ["namespace", "reason"] as const;

export const deletedPods = counter({
  name: "pod_gc_collector_force_delete_pods_total",
  help: "Pods that were forcefully deleted since the pod garbage collector started.",
  labels,
});

export const failedDeletions = counter({
  name: "pod_gc_collector_force_delete_pod_errors_total",
  help: "Failures to forcefully delete a pod since the pod garbage collector started.",
  labels,
});

export const newDecide =
  ({ terminatedThreshold, quarantineMs }: DecideOptions) =>
  ({ ended, terminating, missing }: Observed, context: DecideContext): Decision<Collected> => {
    const { nowMs, answer } = context;
    const due = missing.filter(({ sinceMs, pods }) => nowMs - sinceMs >= quarantineMs && pods.some(isUnsettled));
    const open = due.map(({ name }) => liveGet(nodes, name)).filter((question) => answer(question) === undefined);
    if (open.length > 0) return ask("are these nodes gone?", ...open);

    const victims = new Map<Pod, Reason>();
    const take = (some: readonly Pod[], reason: Reason) => {
      for (const pod of some) if (isUnsettled(pod) && !victims.has(pod)) victims.set(pod, reason);
    };
    if (terminatedThreshold > 0) {
      const excess = ended.length - terminatedThreshold;
      if (excess > 0) take(ended.toSorted(evictedThenOldest).slice(0, excess), "terminated");
    }
    take(
      terminating
        .filter(isOutOfService)
        .map(({ pod }) => pod)
        .toSorted(evictedThenOldest),
      "out-of-service",
    );
    const isGone = ({ name }: MissingNode) => {
      const live = answer(liveGet(nodes, name));
      return live?.ok === true && live.value === undefined;
    };
    take(
      due.filter(isGone).flatMap((node) => node.pods),
      "orphaned",
    );
    take(
      terminating.map(({ pod }) => pod).filter(({ spec }) => !spec?.nodeName),
      "unscheduled",
    );
    if (victims.size === 0) return nothing("no pod to collect");

    const notes = new Map<Action, { readonly pod: Pod; readonly reason: Reason }>();
    const chains = [...victims].map(([pod, reason]) => {
      const actions = [isPodTerminal(pod) ? undefined : markFailed(pod, reason, nowMs), forceDelete(pod)];
      for (const action of actions) if (action !== undefined) notes.set(action, { pod, reason });
      return inOrder(...actions);
    });
    const measures = [...victims].map(([pod, reason]) => deletedPods.inc(labelsOf(pod, reason)));
    return plan(`${victims.size} pods to collect`, [chains], { notes, measures });
  };

export const labelsOf = ({ metadata }: Pod, reason: Reason) => ({ namespace: metadata.namespace ?? "", reason });

/** There is something left to be done about it: it has not ended, or not been deleted without grace. */
const isUnsettled = (pod: Pod) => !isPodTerminal(pod) || !isForceDeleted(pod);

const isForceDeleted = ({ metadata }: Pod) =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

function isOutOfService({ node }: TerminatingPod): boolean {
  if (node === undefined) return false;
  const isReady = findCondition(node.status?.conditions, "Ready")?.status === "True";
  return !isReady && (node.spec?.taints ?? []).some(({ key }) => key === "node.kubernetes.io/out-of-service");
}

const isEvicted = ({ status }: Pod) => status?.phase === "Failed" && status.reason === "Evicted";

/** Evicted pods first: those that have ended otherwise are of use to their controllers. */
function evictedThenOldest(one: Pod, other: Pod): number {
  const evicted = Number(isEvicted(other)) - Number(isEvicted(one));
  if (evicted !== 0) return evicted;
  const age = createdMs(one) - createdMs(other);
  if (age !== 0) return age;
  const [a = "", b = ""] = [one.metadata.name, other.metadata.name];
  return a < b ? -1 : a > b ? 1 : 0;
}

const createdMs = ({ metadata }: Pod) =>
  metadata.creationTimestamp === undefined ? 0 : parseTime(metadata.creationTimestamp);

const nodeIsGone = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

/** Not bound to a version: the status that others write at the same time stays, and this one counts. */
function markFailed(pod: Pod, reason: Reason, nowMs: number): Action {
  const { uid, generation } = pod.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions = reason === "orphaned" ? disruptionTarget(pod, nodeIsGone, nowMs) : {};
  const status = { phase: "Failed", ...observed, ...conditions };
  return patch(
    pods,
    keyOf(pod),
    { type: "strategic", body: { status } },
    { subresource: "status", ...(uid === undefined ? {} : { preconditions: { uid } }), tolerates: ["NotFound"] },
  );
}

/** A conflict is a pod that was deleted and made anew under its name: that one is not meant. */
function forceDelete(pod: Pod): Action | undefined {
  if (isForceDeleted(pod)) return undefined;
  return removeObject(pods, pod, { gracePeriodSeconds: 0, tolerates: ["NotFound", "Conflict"] });
}
