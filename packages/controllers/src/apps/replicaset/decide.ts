// The rules of the replicaset controller: which pods are adopted, released, created and deleted.
import { type corev1, parseTime } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import {
  type Action,
  create,
  type DecideContext,
  type Decision,
  histogram,
  type Measurement,
  nothing,
  plan,
  removeObject,
  slowStart,
} from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { isPodActive, isPodReady, isPodTerminating } from "@kubeloop/core/rules";
import { claimChildren, claimedOf, decideAdoption, isBeingDeleted } from "../../domain/claim.ts";
import { inDeletionOrder } from "../../domain/deletion-order.ts";
import { podFromTemplate } from "../../domain/pod-from-template.ts";
import { parseSelector } from "../../domain/selectors.ts";
import type { Observed } from "./observe.ts";
import { type ReplicaKind, replicaSetKind } from "./replica-kind.ts";

/** Which pods the status counts, and what kept it from scaling; for `report`. */
export interface CountedPods {
  readonly active: readonly corev1.Pod[];
  readonly terminating: readonly corev1.Pod[];
  /** Why no pod can be made of the template at all. */
  readonly unusableTemplate?: Error | undefined;
}

export interface DecideOptions {
  /** ReplicaSets unless given. */
  readonly kind?: ReplicaKind;
  readonly burst: number;
  readonly usesDeletionCost: boolean;
}

export const sortingDeletionAgeRatio = histogram({
  name: "replicaset_controller_sorting_deletion_age_ratio",
  help: "Age of each ready pod that is deleted, divided by the age of the youngest ready pod, when a ReplicaSet scales down. Should be below 2.",
  buckets: [0.25, 0.5, 1, 2, 4, 8],
});

export const newDecide =
  ({ kind = replicaSetKind, ...options }: DecideOptions) =>
  (observed: Observed, context: DecideContext): Decision<CountedPods> => {
    const { set, owned, orphans } = observed;
    const { replicas = 1, selector } = set.spec ?? {};
    // What matches nothing would release all pods and create others without end.
    if (parseSelector(selector) === undefined) return nothing("its selector cannot be read");

    const claim = claimChildren(pods, {
      owner: set,
      selector,
      owned: owned.filter(isPodActive),
      orphans: orphans.filter(isPodActive),
    });
    const instead = decideAdoption(kind.resource, set, claim, context);
    if (instead !== undefined) return instead;

    const active = claim.claimed;
    const terminating = claimedOf(set, selector, owned.filter(isPodTerminating));
    if (isBeingDeleted(set)) return plan("is being deleted", [claim.edits], { notes: { active, terminating } });

    const { steps, measures, unusableTemplate } = scale(observed, active, {
      ...options,
      replicas,
      nowMs: context.nowMs,
    });
    return plan(`${active.length} of ${replicas}`, [claim.edits, ...steps], {
      notes: { active, terminating, unusableTemplate },
      measures,
      unfinished: unusableTemplate,
    });
  };

interface Scaling {
  readonly steps: readonly (readonly Action[])[];
  readonly measures?: readonly Measurement[];
  readonly unusableTemplate?: Error;
}

interface ScaleOptions extends DecideOptions {
  readonly replicas: number;
  readonly nowMs: number;
}

function scale(observed: Observed, active: readonly corev1.Pod[], options: ScaleOptions): Scaling {
  const missing = options.replicas - active.length;
  if (missing > 0) return scaleUp(observed, Math.min(missing, options.burst));
  if (missing < 0) return scaleDown(observed, active, { ...options, excess: Math.min(-missing, options.burst) });
  return { steps: [] };
}

function scaleUp({ set }: Observed, count: number): Scaling {
  const { template } = set.spec ?? {};
  if (Object.keys(template?.metadata?.labels ?? {}).length === 0) {
    const unusableTemplate = new KubeloopError("unable to create pods, no labels", { reason: "Invalid" });
    return { steps: [], unusableTemplate };
  }
  const pod = podFromTemplate(template, set);
  // Not a failure: the namespace is being deleted, and the set goes with it. Otherwise the key would be retried with back-off.
  const creations = Array.from({ length: count }, () => create(pods, pod, { tolerates: ["NamespaceTerminating"] }));
  return { steps: slowStart(creations) };
}

function scaleDown(
  { relatedPods }: Observed,
  active: readonly corev1.Pod[],
  { excess, usesDeletionCost, nowMs }: ScaleOptions & { readonly excess: number },
): Scaling {
  const ordered = inDeletionOrder(active, { nowMs, related: relatedPods(), usesDeletionCost });
  const victims = ordered.slice(0, excess);
  return {
    // A conflict is a pod that was deleted and made anew under its name: that one is not meant.
    steps: [victims.map((pod) => removeObject(pods, pod, { tolerates: ["NotFound", "Conflict"] }))],
    measures: excess < active.length ? ageRatios(active, victims, nowMs) : [],
  };
}

/** How old the deleted pods are, as multiples of the youngest one's age; whole numbers, as upstream measures them. */
function ageRatios(
  active: readonly corev1.Pod[],
  deleted: readonly corev1.Pod[],
  nowMs: number,
): readonly Measurement[] {
  const ageOf = ({ metadata }: corev1.Pod) => nowMs - parseTime(metadata.creationTimestamp ?? "");
  const youngest = active
    .filter(isPodReady)
    .reduce((least, pod) => Math.min(least, ageOf(pod)), Number.POSITIVE_INFINITY);
  // Created this very moment: there is no ratio.
  if (youngest <= 0) return [];
  return deleted.filter(isPodReady).map((pod) => sortingDeletionAgeRatio.observe(Math.floor(ageOf(pod) / youngest)));
}
