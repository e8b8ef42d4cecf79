// The rules of taint-eviction: a pod that does not tolerate all NoExecute taints of its node is evicted at once; one that tolerates them for a time,
// when the shortest of the times that it uses is over. It is read live before it is marked, as upstream does: the cache may not have the conditions
// that its kubelet has just written, and the mark comes after them.
import type { corev1 } from "@kubeloop/core/api";
import {
  type Action,
  ask,
  counter,
  type DecideContext,
  type Decision,
  histogram,
  inOrder,
  type Learned,
  liveGet,
  nothing,
  type Outcome,
  type Plan,
  patch,
  plan,
  recordEvent,
  removeObject,
  unfinished,
  type Wake,
} from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { matchingTolerations, minTolerationSeconds } from "@kubeloop/core/rules";
import { disruptionTarget } from "../../domain/disruption-target.ts";
import type { Eviction, Evictions } from "./model.ts";
import type { Observed } from "./observe.ts";

export const deletions = counter({
  name: "taint_eviction_controller_pod_deletions_total",
  help: "Pods that were deleted because of a taint, since this instance started.",
});

/** 5 ms to 4 min. */
export const deletionDuration = histogram({
  name: "taint_eviction_controller_pod_deletion_duration_seconds",
  help: "Seconds between the time at which a pod was to be deleted because of a taint and its deletion.",
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
});

export interface EvictionNotes {
  /** What is to be remembered of the pod if the plan goes through, and if not. */
  readonly after: Eviction | undefined;
  readonly onFailure: Eviction | undefined;
  /** The deletion, if there is one, and when it was due. */
  readonly deletion?: { readonly action: Action; readonly dueMs: number };
}

export interface DecideOptions {
  /** Feature gate TaintTolerationComparisonOperators. */
  readonly comparisonOperators: boolean;
}

export const newDecide =
  ({ comparisonOperators }: DecideOptions) =>
  (observed: Observed, { nowMs, answer }: DecideContext): Decision<EvictionNotes> | Plan<undefined> => {
    const { key, pod, taints, eviction } = observed;
    if (pod === undefined) return cancel(observed, "is gone");
    const { uid, deletionTimestamp } = pod.metadata;
    const isOther = eviction !== undefined && eviction.uid !== uid;
    const pending = isOther ? undefined : eviction;
    const stale = isOther ? [cancellation(key)] : [];
    const at = taints === undefined ? pending?.atMs : dueAt(pod, taints, pending, { nowMs, comparisonOperators });
    if (at === undefined) return cancel(observed, "is tolerated");
    if (at > nowMs) {
      const after = pending ?? { uid, atMs: at, isAnnounced: false };
      const notes = { after, onFailure: after };
      return plan("is tolerated for a time", [stale], { notes, requeueAfterMs: at - nowMs });
    }
    const question = liveGet(pods, key);
    const live = answer(question);
    if (live === undefined) return ask("which conditions has it?", question);
    if (!live.ok) return unfinished("cannot be read", live.error);
    // What was to happen later happens now instead.
    const isEarlier = pending !== undefined && pending.atMs > nowMs;
    const events = isEarlier ? [cancellation(key)] : stale;
    const marking = pending?.isAnnounced === true ? undefined : marked(key);
    // One that is being deleted, by us or by somebody else, is marked and told of, and that is all.
    const deletion =
      deletionTimestamp === undefined ? removeObject(pods, pod, { tolerates: ["NotFound", "Conflict"] }) : undefined;
    return plan("evict it", [[...events, inOrder(marking, markPod(pod, live.value ?? pod, nowMs), deletion)]], {
      notes: {
        after: undefined,
        onFailure: { uid, atMs: at, isAnnounced: true },
        ...(deletion === undefined ? {} : { deletion: { action: deletion, dueMs: at } }),
      },
    });
  };

interface Moment extends DecideOptions {
  readonly nowMs: number;
}

/** Undefined if the pod may stay. */
function dueAt(
  { spec }: corev1.Pod,
  taints: readonly corev1.Taint[],
  pending: Eviction | undefined,
  { nowMs, comparisonOperators }: Moment,
): number | undefined {
  if (taints.length === 0) return undefined;
  const used = matchingTolerations(taints, spec?.tolerations, { comparisonOperators });
  if (used === undefined) return Math.min(nowMs, pending?.atMs ?? nowMs);
  const seconds = minTolerationSeconds(used);
  if (seconds === Number.POSITIVE_INFINITY) return undefined;
  return pending?.atMs ?? nowMs + seconds * 1000;
}

function cancel({ key, eviction }: Observed, reason: string): Plan<EvictionNotes> {
  if (eviction === undefined) return nothing(reason);
  // One that is under way is not cancelled any more.
  const events = eviction.isAnnounced ? [] : [cancellation(key)];
  return plan(reason, [events], { notes: { after: undefined, onFailure: undefined } });
}

const marked = (key: string) => podEvent(key, `Marking for deletion Pod ${key}`);
const cancellation = (key: string) => podEvent(key, `Cancelling deletion of Pod ${key}`);

function podEvent(key: string, message: string): Action {
  const [namespace = "", name = ""] = key.split("/");
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace, name } };
  return recordEvent(pod, { type: "Normal", reason: "TaintManagerEviction", message });
}

const why = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };

/** Marks the pod that was seen, and no other of its name. Not bound to a version: the status that others write at the same time stays. */
function markPod({ metadata }: corev1.Pod, live: corev1.Pod, nowMs: number): Action | undefined {
  const { namespace = "", name = "", uid } = metadata;
  const isMarked = (live.status?.conditions ?? []).some(
    ({ type, status, reason, message }) =>
      type === "DisruptionTarget" && status === "True" && reason === why.reason && message === why.message,
  );
  if (isMarked) return undefined;
  const body = { status: disruptionTarget(live, why, nowMs) };
  return patch(
    pods,
    `${namespace}/${name}`,
    { type: "strategic", body },
    {
      subresource: "status",
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      // A conflict is not: the pod would be deleted without the condition.
      tolerates: ["NotFound"],
    },
  );
}

export function learn({ byPod }: Evictions, { key }: Observed, { outcome }: Learned<EvictionNotes>): readonly Wake[] {
  const { notes } = outcome;
  if (notes === undefined) return [];
  const kept = outcome.isComplete ? notes.after : notes.onFailure;
  if (kept === undefined) byPod.delete(key);
  else byPod.set(key, kept);
  return [];
}

export function report(_observed: Observed, outcome: Outcome<EvictionNotes>, { nowMs }: DecideContext) {
  const deletion = outcome.notes?.deletion;
  if (deletion === undefined || !outcome.isDone(deletion.action)) return undefined;
  return nothing("evicted", {
    measures: [deletions.inc(), deletionDuration.observe((nowMs - deletion.dueMs) / 1000)],
  });
}

/** A node whose taints have changed is of interest for its pods. */
export function decideNode(keys: readonly string[]): Plan {
  return nothing(`${keys.length} pods to look at`, { wakes: keys.map((key) => ({ queue: "pods", key })) });
}
