// A pod template, wherever it stands: its labels, its annotations, and the spec of the pods made of it.
import type { corev1 } from "@kubeloop/core/api";
import { podDeletionCost, podDeletionCostAnnotation } from "@kubeloop/core/rules";
import { checkAnnotations, checkLabels, type LabelMap } from "../shared/labels.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkTolerations } from "./check-affinity.ts";
import { checkProfileAnnotations, checkProfilesAgree } from "./check-profiles.ts";
import { checkPodSpec } from "./check-spec.ts";
import { type PodSpecOptions, podSpecOptions } from "./options.ts";

type Template = corev1.PodTemplateSpec;

export const mirrorAnnotation = "kubernetes.io/config.mirror";
const tolerationsAnnotation = "scheduler.alpha.kubernetes.io/tolerations";

/** `old` is the template that is stored already. */
export function templateOptions(old?: Template): PodSpecOptions {
  if (old === undefined) return podSpecOptions({ isPod: false });
  return podSpecOptions({ isPod: false }, { spec: old.spec, annotations: old.metadata?.annotations });
}

export function checkTemplate(template: Template, fldPath: ValidationPath, options: PodSpecOptions): void {
  const { labels, annotations = {} } = template.metadata ?? {};
  const specPath = fldPath.at("spec");
  checkLabels(labels, fldPath.at("labels"));
  checkAnnotations(annotations, fldPath.at("annotations"));
  checkPodAnnotations(annotations, fldPath.at("annotations"), template.spec, options);
  checkPodSpec(template.spec, specPath, undefined, options);
  checkProfilesAgree(annotations, specPath, template.spec);
  if ((template.spec.ephemeralContainers ?? []).length > 0) {
    const why = "ephemeral containers not allowed in pod template";
    specPath.at("ephemeralContainers").forbidden(why);
  }
}

/** Annotations that mean something to Kubernetes. */
export function checkPodAnnotations(
  annotations: LabelMap,
  fldPath: ValidationPath,
  spec: corev1.PodSpec,
  options: PodSpecOptions,
): void {
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && (spec.nodeName ?? "") === "") {
    const why = "must set spec.nodeName if mirror pod annotation is set";
    fldPath.item(mirrorAnnotation).invalid(mirror, why);
  }
  checkTolerationsText(annotations[tolerationsAnnotation], fldPath, options);
  if (!options.allowsAnyDeletionCost && podDeletionCost(annotations) === undefined) {
    const costPath = fldPath.item(podDeletionCostAnnotation);
    costPath.invalid(annotations[podDeletionCostAnnotation], "must be a 32bit integer");
  }
  checkProfileAnnotations(annotations, fldPath, spec);
}

/** Tolerations were an annotation once. */
function checkTolerationsText(text: string | undefined, fldPath: ValidationPath, options: PodSpecOptions): void {
  if (text === undefined || text === "") return;
  const tolerations = parseTolerations(text);
  if (typeof tolerations === "string") fldPath.invalid(tolerationsAnnotation, tolerations);
  else checkTolerations(tolerations, fldPath.at(tolerationsAnnotation), options);
}

/** Or what is wrong with the text. */
function parseTolerations(text: string): readonly corev1.Toleration[] | string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed === null) return [];
    const isList = Array.isArray(parsed) && parsed.every((each) => typeof each === "object" && each !== null);
    return isList ? (parsed as readonly corev1.Toleration[]) : "json: cannot unmarshal into a list of tolerations";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
