// The rules of the claim protection: who gets the finalizer, who loses it, and what the condition Unused says.
import { addFinalizer, type corev1, findCondition, printTime, removeFinalizer } from "@kubeloop/core/api";
import {
  ask,
  type DecideContext,
  type Decision,
  editObject,
  editStatus,
  liveList,
  nothing,
  type Plan,
  plan,
  unfinished,
} from "@kubeloop/core/contract";
import { persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { isBeingDeleted } from "../../domain/claim.ts";
import { lacksProtection, waitsForRelease } from "../../domain/protection.ts";
import type { Observed } from "./observe.ts";
import { needsClaim, refersToClaim, type Use } from "./use.ts";

export const claimFinalizer = "kubernetes.io/pvc-protection";
export const unusedCondition = "Unused";

export interface DecideOptions {
  readonly reportsUnused: boolean;
}

export const newDecide =
  ({ reportsUnused }: DecideOptions) =>
  (observed: Observed, context: DecideContext): Decision => {
    const { claim } = observed;
    if (waitsForRelease(claim, claimFinalizer)) return release(observed, context);
    if (reportsUnused && !isBeingDeleted(claim)) {
      const decision = report(observed, context);
      // One write for a look: where the finalizer is missing, too, the event of this write brings the claim back.
      if (decision !== undefined) return decision;
    }
    if (lacksProtection(claim, claimFinalizer)) return edited("protects it", claim, addFinalizer);
    return nothing("is as it should be");
  };

function release(observed: Observed, context: DecideContext): Decision {
  const use = findUse(observed, needsClaim, context);
  if ("instead" in use) return use.instead;
  return use.isUsed ? nothing("is in use") : edited("lets it go", observed.claim, removeFinalizer);
}

/** Undefined where the condition says what is so. */
function report(observed: Observed, context: DecideContext): Decision | undefined {
  const { claim } = observed;
  const use = findUse(observed, refersToClaim, context);
  if ("instead" in use) return use.instead;
  const before = claim.status?.conditions ?? [];
  const existing = findCondition(before, unusedCondition);
  const isReported = use.isUsed ? existing !== undefined && existing.status !== "True" : existing?.status === "True";
  if (isReported) return undefined;
  const condition = { ...(use.isUsed ? used : unused), lastTransitionTime: printTime(context.nowMs) };
  const conditions =
    existing === undefined ? [...before, condition] : before.map((each) => (each === existing ? condition : each));
  const after = { ...claim, status: { ...claim.status, conditions } };
  return plan(use.isUsed ? "is used" : "is unused", [
    [editStatus(persistentVolumeClaims, claim, after, { tolerates: ["NotFound"] })],
  ]);
}

const used: corev1.PersistentVolumeClaimCondition = {
  type: unusedCondition,
  status: "False",
  reason: "PodUsingPVC",
  message: "A pod is currently referencing this PVC",
};
const unused: corev1.PersistentVolumeClaimCondition = {
  type: unusedCondition,
  status: "True",
  reason: "NoPodsUsingPVC",
  message: "No pods are currently referencing this PVC",
};

type FoundUse =
  | { readonly isUsed: boolean }
  /** It is not known yet, or cannot be known now. */
  | { readonly instead: Decision };

/** A pod in the cache is enough to say yes; only the server can say no. */
function findUse({ claim, referring }: Observed, use: Use, context: DecideContext): FoundUse {
  if (referring.some((pod) => use(pod, claim))) return { isUsed: true };
  const question = liveList(pods, { namespace: claim.metadata.namespace ?? "" });
  const live = context.answer(question);
  if (live === undefined) return { instead: ask("is there a pod that the cache has not?", question) };
  if (!live.ok) return { instead: unfinished("the pods cannot be listed", live.error) };
  return { isUsed: live.value.items.some((pod) => use(pod, claim)) };
}

function edited(reason: string, claim: corev1.PersistentVolumeClaim, change: typeof addFinalizer): Plan {
  // One that is gone needs neither.
  const tolerates = ["NotFound"] as const;
  return plan(reason, [[editObject(persistentVolumeClaims, claim, change(claim, claimFinalizer), { tolerates })]]);
}
