// What a delete does to an object, decided from the object and the options alone: it goes at once, it is marked and waits for its
// finalizers or its grace period, or nothing changes because it already is on its way.
import { type KubernetesObject, newConflict, parseTime, printTime } from "@kubeloop/core/api";
import type { DeletionRules, Draft } from "../../kinds/kind-rules.ts";
import type { DeleteOptions } from "../options/delete-options.ts";

export type DeleteDecision =
  /** Gone. `marked`: a pod that is marked first, in a version of its own. */
  | { readonly kind: "gone"; readonly marked?: Draft<KubernetesObject> }
  | { readonly kind: "marked"; readonly draft: Draft<KubernetesObject> }
  | { readonly kind: "already" };

const orphan = "orphan";
const foreground = "foregroundDeletion";

export function decideDelete(
  object: KubernetesObject,
  options: DeleteOptions,
  { rules = {}, nowMs }: { readonly rules: DeletionRules<KubernetesObject> | undefined; readonly nowMs: number },
): DeleteDecision {
  const draft = { ...object, metadata: { ...object.metadata } } as Draft<KubernetesObject>;
  const grace = rules.gracePeriod === undefined ? "none" : shortenGrace(draft, object, options, rules, nowMs);
  if (grace === "pending") return { kind: "already" };
  const finalizers = finalizersFor(object, options, rules);
  if (finalizers.length === 0) delete draft.metadata.finalizers;
  else draft.metadata.finalizers = [...finalizers];
  const isHeld = finalizers.length > 0 || rules.isHeld?.(object) === true;
  if (rules.mark !== undefined && object.metadata.deletionTimestamp === undefined) {
    draft.metadata.deletionTimestamp = printTime(nowMs);
    rules.mark(draft);
    return { kind: "marked", draft };
  }
  if (rules.mark !== undefined && isHeld) return { kind: "marked", draft };
  if (grace === "graceful") {
    if (isHeld || (draft.metadata.deletionGracePeriodSeconds ?? 0) > 0) return { kind: "marked", draft };
    return { kind: "gone", marked: draft };
  }
  if (!isHeld) return { kind: "gone" };
  mark(draft, object, nowMs);
  return { kind: "marked", draft };
}

/** What cannot be deleted gracefully is marked so that its finalizers' owners see it. */
function mark({ metadata }: Draft<KubernetesObject>, old: KubernetesObject, nowMs: number): void {
  const { deletionTimestamp, generation = 0 } = old.metadata;
  if (deletionTimestamp === undefined && generation > 0) metadata.generation = generation + 1;
  if (deletionTimestamp === undefined || timeOf(deletionTimestamp) > nowMs) {
    metadata.deletionTimestamp = printTime(nowMs);
  }
  metadata.deletionGracePeriodSeconds = 0;
}

/** Sets the time and period of a graceful deletion. "pending": it is on its way and this does not shorten it. */
function shortenGrace(
  { metadata }: Draft<KubernetesObject>,
  old: KubernetesObject,
  { graceSeconds }: DeleteOptions,
  rules: DeletionRules<KubernetesObject>,
  nowMs: number,
): "graceful" | "pending" | "none" {
  const { deletionTimestamp, deletionGracePeriodSeconds: held = 0, generation = 0 } = old.metadata;
  if (deletionTimestamp === undefined) {
    const period = rules.gracePeriod?.(old, graceSeconds);
    if (period === undefined) return "none";
    metadata.deletionTimestamp = printTime(nowMs + period * 1000);
    metadata.deletionGracePeriodSeconds = period;
    if (generation > 0) metadata.generation = generation + 1;
    return "graceful";
  }
  if (held === 0) return "none";
  if (graceSeconds === undefined || graceSeconds >= held) return "pending";
  const begunMs = timeOf(deletionTimestamp) - held * 1000;
  const endMs = begunMs + graceSeconds * 1000;
  const isOver = endMs < nowMs;
  metadata.deletionTimestamp = printTime(isOver ? nowMs : endMs);
  // Still for the node to finish, unless no grace at all was asked for.
  metadata.deletionGracePeriodSeconds = isOver && graceSeconds !== 0 ? 1 : graceSeconds;
  return "graceful";
}

function finalizersFor(
  { metadata }: KubernetesObject,
  { propagation, orphanDependents }: DeleteOptions,
  { propagation: byDefault = "Background" }: DeletionRules<KubernetesObject>,
): readonly string[] {
  const held = metadata.finalizers ?? [];
  const others = held.filter((each) => each !== orphan && each !== foreground);
  if (byDefault === "none") return others;
  if (orphanDependents !== undefined) return orphanDependents ? [...others, orphan] : others;
  switch (propagation) {
    case "Orphan":
      return [...others, orphan];
    case "Foreground":
      return [...others, foreground];
    case "Background":
      return others;
    case undefined:
      break;
  }
  if (held.includes(orphan) || held.includes(foreground)) return held;
  return byDefault === "Orphan" ? [...others, orphan] : others;
}

/** Throws 409 when the object is not the one that was meant. */
export function checkPreconditions(
  { kind, apiVersion, metadata }: KubernetesObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  // Upstream's oddity: the kind stands where the resource should.
  const resource = { group: apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "", resource: kind };
  const name = metadata.name ?? "";
  if (uid !== undefined && uid !== metadata.uid) {
    throw newConflict(resource, name, {
      detail: `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    });
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw newConflict(resource, name, {
      detail: `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    });
  }
}

const timeOf = (text: string) => parseTime(text);
