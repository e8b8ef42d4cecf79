// What the claim protection looks at for one key: the claim, and the pods whose volumes refer to it.
import type { corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { persistentVolumeClaims } from "@kubeloop/core/resources";
import { podsByClaim } from "../../domain/claims-of-pod.ts";

export interface Observed {
  readonly claim: corev1.PersistentVolumeClaim;
  /** In every phase, with or without a node. An ephemeral volume may refer to a claim that is not its own. */
  readonly referring: readonly corev1.Pod[];
}

/** Undefined when there is no such claim (any more). */
export function observe(key: string, { snapshot }: View): Observed | undefined {
  const claim = snapshot.get(persistentVolumeClaims, key);
  return claim && { claim, referring: snapshot.byIndex(podsByClaim, key) };
}
