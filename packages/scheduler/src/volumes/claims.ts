// What PersistentVolumeClaims and PersistentVolumes say about each other: which claims a pod uses, of which class a claim or volume is, and how far
// a binding has got. The words and annotations are those that the PersistentVolume controller uses, too.
import { isControlledBy } from "@kubeloop/core/api";
import { matchesNodeSelector } from "@kubeloop/core/rules";
import type { NodeSelector, PersistentVolume, PersistentVolumeClaim, Pod, Volume } from "@kubeloop/core/types/core/v1";

export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";
export const bindCompletedAnnotation = "pv.kubernetes.io/bind-completed";
export const boundByControllerAnnotation = "pv.kubernetes.io/bound-by-controller";
const classAnnotation = "volume.beta.kubernetes.io/storage-class";

type Labels = Readonly<Record<string, string>>;

/** Returns the name of the volume's claim. That of an ephemeral volume is made from the names of pod and volume. */
export function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? undefined : `${pod.metadata.name ?? ""}-${name}`;
}

/** Whether the pod has a volume with this claim. Generic ephemeral volumes count only if `ephemeral` is set. */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim, { ephemeral }: { ephemeral: boolean }): boolean {
  const { namespace, name } = claim.metadata;
  if (pod.metadata.namespace !== namespace) return false;
  return (pod.spec.volumes ?? []).some(
    (volume) => (ephemeral || volume.ephemeral === undefined) && claimNameOf(pod, volume) === name,
  );
}

/** Returns why the claim of an ephemeral volume is not the pod's own; somebody else may have made one of the same name. */
export function whyNotForPod(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  const { namespace = "", name = "" } = pod.metadata;
  return `PVC ${namespace}/${claim.metadata.name ?? ""} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";
}

export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? "") !== "" && metadata.annotations?.[bindCompletedAnnotation] !== undefined;
}

/** Whether the volume is promised to this claim. A promise without a UID holds for any claim of that name. */
export function isPromisedTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid = "" } = spec?.claimRef ?? {};
  if (spec?.claimRef === undefined || name !== metadata.name || namespace !== metadata.namespace) return false;
  return uid === "" || uid === metadata.uid;
}

/** Terms see only the labels of the node, never its name. */
export function matchesVolumeAffinity(required: NodeSelector | undefined, labels: Labels): boolean {
  return required === undefined || matchesNodeSelector(required, { metadata: { labels } });
}
