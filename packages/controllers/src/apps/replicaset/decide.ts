// The rules of the replicaset controller: which pods are adopted, released, created and deleted.
import { type corev1, parseTime } from "@kubeloop/core/api";
import {
  type Action,
  create,
  type DecideContext,
  type Decision,
  histogram,
  type Measurement,
  plan,
  removeObject,
  slowStart,
} from "@kubeloop/core/contract";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { isPodActive, isPodReady, isPodTerminating } from "@kubeloop/core/rules";
import { checkAdoption, claimChildren } from "../../domain/claim.ts";
import { inDeletionOrder } from "../../domain/deletion-order.ts";
import { podAvailability } from "../../domain/pod-availability.ts";
import { podFromTemplate } from "../../domain/pod-from-template.ts";
import type { Observed } from "./observe.ts";

/** Which pods the status counts; for `report`. */
export interface Counted {
  readonly active: readonly corev1.Pod[];
  readonly terminating: readonly corev1.Pod[];
}

export interface Rules {
  readonly burst: number;
  readonly usesDeletionCost: boolean;
}

export const sortingDeletionAgeRatio = histogram({
  name: "replicaset_controller_sorting_deletion_age_ratio",
  help: "Age of each ready pod that is deleted, divided by the age of the youngest ready pod, when a ReplicaSet scales down. Should be below 2.",
  buckets: [0.25, 0.5, 1, 2, 4, 8],
});

export const newDecide =
  (rules: Rules) =>
  (seen: Observed, context: DecideContext): Decision<Counted> => {
    const { set, owned, orphans } = seen;
    const { replicas = 1, minReadySeconds, selector } = set.spec ?? {};
    const claim = claimChildren(pods, {
      owner: set,
      selector,
      owned: owned.filter(isPodActive),
      orphans: orphans.filter(isPodActive),
    });
    const unsettled = checkAdoption(replicaSets, set, claim, context);
    if (unsettled !== undefined) return unsettled;

    const active = claim.mine;
    const { mine: terminating } = claimChildren(pods, {
      owner: set,
      selector,
      owned: owned.filter(isPodTerminating),
      orphans: [],
    });
    const isBeingDeleted = set.metadata.deletionTimestamp !== undefined;
    const { steps, measures } = isBeingDeleted ? untouched : scale(seen, active, { ...rules, nowMs: context.nowMs });
    return plan(isBeingDeleted ? "is being deleted" : `${active.length} of ${replicas}`, [claim.edits, ...steps], {
      notes: { active, terminating },
      measures,
      requeueAfterMs: podAvailability(active, { minReadySeconds, nowMs: context.nowMs }).nextInMs,
    });
  };

interface Scaling {
  readonly steps: readonly (readonly Action[])[];
  readonly measures: readonly Measurement[];
}

const untouched: Scaling = { steps: [], measures: [] };

function scale(
  { set, related }: Observed,
  active: readonly corev1.Pod[],
  { burst, usesDeletionCost, nowMs }: Rules & { readonly nowMs: number },
): Scaling {
  const { replicas = 1, template } = set.spec ?? {};
  const difference = replicas - active.length;
  if (difference === 0) return untouched;
  if (difference > 0) {
    const missing = Array.from({ length: Math.min(difference, burst) }, () =>
      // A namespace that is being deleted takes no pods, and soon there will be no set either.
      create(pods, podFromTemplate(template, set), { tolerates: ["NamespaceTerminating"] }),
    );
    return { steps: slowStart(missing), measures: [] };
  }
  const ranked = inDeletionOrder(active, { nowMs, related, usesDeletionCost });
  const excess = ranked.slice(0, Math.min(-difference, burst));
  const isChoice = excess.length < active.length;
  return {
    steps: [excess.map((pod) => removeObject(pods, pod, { tolerates: ["NotFound"] }))],
    measures: isChoice ? ageRatios(active, excess, nowMs) : [],
  };
}

/** How old the deleted pods are, as multiples of the youngest one's age; whole numbers, as upstream measures them. */
function ageRatios(
  active: readonly corev1.Pod[],
  deleted: readonly corev1.Pod[],
  nowMs: number,
): readonly Measurement[] {
  const age = ({ metadata }: corev1.Pod) => nowMs - parseTime(metadata.creationTimestamp ?? "");
  const youngest = Math.min(...active.filter(isPodReady).map(age));
  if (!(youngest > 0)) return [];
  return deleted.filter(isPodReady).map((pod) => sortingDeletionAgeRatio.observe(Math.floor(age(pod) / youngest)));
}
