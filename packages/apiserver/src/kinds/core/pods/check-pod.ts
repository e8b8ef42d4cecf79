// What must hold of a pod as a whole, beyond its spec's own rules.
import type { corev1 } from "@kubeloop/core/api";
import { checkImageSpelling } from "../../pod-spec/check-containers.ts";
import { checkProfilesAgree } from "../../pod-spec/check-profiles.ts";
import { checkPodSpec } from "../../pod-spec/check-spec.ts";
import { checkPodAnnotations, mirrorAnnotation } from "../../pod-spec/check-template.ts";
import { type PodSpecOptions, podSpecOptions } from "../../pod-spec/options.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";

type Pod = corev1.Pod;

/** `old` is the pod as it is stored. */
export function podOptions(old?: Pod): PodSpecOptions {
  if (old === undefined) return podSpecOptions({ isPod: true });
  return podSpecOptions({ isPod: true }, { spec: old.spec, annotations: old.metadata.annotations });
}

export interface PodPaths {
  readonly annotations: ValidationPath;
  readonly spec: ValidationPath;
}

export function placesOf(spec: ValidationPath): PodPaths {
  return { spec, annotations: spec.beside("metadata").at("annotations") };
}

export function checkNewPod(pod: Pod, fldPaths: PodPaths): void {
  const { spec } = fldPaths;
  checkPod(pod, fldPaths, podOptions());
  if ((pod.spec.ephemeralContainers ?? []).length > 0) {
    spec.at("ephemeralContainers").forbidden("cannot be set on create");
  }
  if ((pod.spec.nodeName ?? "") !== "" && (pod.spec.schedulingGates ?? []).length > 0) {
    spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
  }
  checkProfilesAgree(pod.metadata.annotations ?? {}, spec, pod.spec);
}

/** Of a new pod and of a changed one. */
export function checkPod(pod: Pod, fldPaths: PodPaths, options: PodSpecOptions): void {
  const { name, annotations = {} } = pod.metadata;
  checkPodAnnotations(annotations, fldPaths.annotations, pod.spec, options);
  checkPodSpec(pod.spec, fldPaths.spec, { name, isMirror: Object.hasOwn(annotations, mirrorAnnotation) }, options);
  checkTokens(pod, fldPaths.spec);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [i, container] of (pod.spec[list] ?? []).entries()) {
      checkImageSpelling(container, fldPaths.spec.at(list).item(i));
    }
  }
}

/** A token needs somebody it is for. */
function checkTokens({ spec }: Pod, fldPath: ValidationPath): void {
  if ((spec.serviceAccountName ?? "") !== "") return;
  for (const [i, { projected }] of (spec.volumes ?? []).entries()) {
    for (const [j, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (serviceAccountToken === undefined) continue;
      const sourcePath = fldPath.at("volumes").item(i).at("projected", "sources").item(j);
      sourcePath.at("serviceAccountToken").forbidden("must not be specified when serviceAccountName is not set");
    }
  }
}
