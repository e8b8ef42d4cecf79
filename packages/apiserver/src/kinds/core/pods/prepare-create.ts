// What the server makes of a new pod: it waits, its class of service is known, and what it says by the value of its own labels is
// written out.
import { type corev1, type metav1, printTime } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft } from "../../kind-rules.ts";
import { affinityTerms } from "../../pod-spec/affinity-terms.ts";
import { appArmorFieldOf, appArmorPrefix, checkAppArmorProfile } from "../../pod-spec/check-profiles.ts";
import { dropDisabledFields } from "../../pod-spec/drop-disabled.ts";
import { containerLists } from "../../pod-spec/visit-containers.ts";
import { own } from "../../shared/own.ts";
import { collectFaults } from "../../shared/validation-path.ts";
import { qosClassOf } from "./qos-class.ts";

type PodDraft = Draft<corev1.Pod>;

export function preparePod(pod: PodDraft, nowMs: number): void {
  const { spec } = pod;
  pod.status = { phase: "Pending", qosClass: qosClassOf(pod) };
  dropDisabledFields(spec);
  if ((spec.schedulingGates ?? []).length > 0) pod.status.conditions = [gatedCondition(nowMs)];
  writeOutLabelKeys(pod);
  if (spec.os?.name !== "windows") useAppArmorAnnotations(pod);
}

function gatedCondition(nowMs: number): Draft<corev1.PodCondition> {
  return {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: printTime(nowMs),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  } as unknown as Draft<corev1.PodCondition>;
}

/** A key whose value is the pod's own becomes an expression of the selector beside it. */
function writeOutLabelKeys({ metadata, spec }: PodDraft): void {
  const labels = metadata.labels;
  for (const term of affinityTerms(spec.affinity) as readonly Draft<corev1.PodAffinityTerm>[]) {
    addExpressions(term.labelSelector, term.matchLabelKeys, "In", labels);
    addExpressions(term.labelSelector, term.mismatchLabelKeys, "NotIn", labels);
  }
  for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? []) {
    addExpressions(labelSelector, matchLabelKeys, "In", labels);
  }
}

function addExpressions(
  selector: Draft<metav1.LabelSelector> | undefined,
  keys: readonly string[] | undefined,
  operator: "In" | "NotIn",
  labels: Readonly<Record<string, string>> | undefined,
): void {
  if (selector === undefined) return;
  for (const key of keys ?? []) {
    const value = own(labels, key);
    if (value === undefined) continue;
    selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
  }
}

/** AppArmor was an annotation once; where only that is given, the field follows it. */
function useAppArmorAnnotations({ metadata, spec }: PodDraft): void {
  for (const container of containerLists.flatMap((list) => spec[list] ?? [])) {
    const annotation = metadata.annotations?.[appArmorPrefix + container.name];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue;
    const profile = appArmorFieldOf(annotation);
    if (profile === undefined || deepEqual(profile, spec.securityContext?.appArmorProfile)) continue;
    if (collectFaults("profile", (fldPath) => checkAppArmorProfile(profile, fldPath)).length > 0) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}
