// Which PersistentVolumeClaims a pod refers to, and which pods refer to a claim, found without looking at any other pod.
//
//   indexes: [podsByClaim]
//   observe: (key, { snapshot }) => snapshot.byIndex(podsByClaim, key)
//
// An ephemeral volume refers to the claim that is made for it, whether or not that is there yet. A claim of that name may be somebody else's:
// it is the volume's only if the pod controls it.
import { type corev1, objectKeyOf } from "@kubeloop/core/api";
import { defineIndex, type Index } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";

/** Undefined for a volume that has nothing to do with claims. */
export function claimNameOf(pod: corev1.Pod, volume: corev1.Volume): string | undefined {
  if (isGiven(volume.persistentVolumeClaim)) return volume.persistentVolumeClaim.claimName || undefined;
  return isGiven(volume.ephemeral) ? `${pod.metadata.name ?? ""}-${volume.name}` : undefined;
}

export const isEphemeral = ({ persistentVolumeClaim, ephemeral }: corev1.Volume) =>
  !isGiven(persistentVolumeClaim) && isGiven(ephemeral);

/** Of all claims that its volumes refer to, each once. */
export function claimKeysOf(pod: corev1.Pod): readonly string[] {
  const names = (pod.spec?.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);
  return [...new Set(names)].map((name) => objectKeyOf(pod.metadata.namespace ?? "", name));
}

/** By the key of the claim. */
export const podsByClaim: Index<corev1.Pod> = defineIndex("claim", pods, claimKeysOf);

/** The API server leaves out what is not set, but some clients print null. */
const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;
