// All terms of a pod's affinity to pods, wanted and required, near and far.
import type { corev1 } from "@kubeloop/core/api";

export function affinityTerms(affinity: corev1.Affinity | undefined): readonly corev1.PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((each) => [
    ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm),
  ]);
}
