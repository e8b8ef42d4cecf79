// When a pod uses a claim. There are two answers: whether the claim must be kept, and whether somebody means to use it.
import { type corev1, isControlledBy } from "@kubeloop/core/api";
import { isPodTerminal } from "@kubeloop/core/rules";
import { isBeingDeleted } from "../../domain/claim.ts";
import { claimNameOf, isEphemeral } from "../../domain/claims-of-pod.ts";

/** Whether a pod uses a claim of its namespace. */
export type Use = (pod: corev1.Pod, claim: corev1.PersistentVolumeClaim) => boolean;

/**
 * The claim must be kept. A pod without a node does not count: the kubelet will not start a pod whose claim is being deleted. One that has ended
 * counts until it is gone, because its volumes may still be mounted.
 */
export const needsClaim: Use = (pod, claim) =>
  isScheduled(pod) && volumesFor(pod, claim).some((volume) => !isEphemeral(volume) || !isShutDown(pod));

/** Somebody means to use the claim: a pod that has not ended refers to it, whether or not it has a node. */
export const refersToClaim: Use = (pod, claim) => !hasStopped(pod) && volumesFor(pod, claim).length > 0;

export const isScheduled = ({ spec }: corev1.Pod) => (spec?.nodeName ?? "") !== "";

/** The pod has ended, or it is being deleted and none of its containers runs. */
export function hasStopped(pod: corev1.Pod): boolean {
  if (isPodTerminal(pod)) return true;
  if (!isBeingDeleted(pod)) return false;
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  return [containerStatuses, initContainerStatuses, ephemeralContainerStatuses].every((statuses) =>
    (statuses ?? []).every(isNotRunning),
  );
}

/** What says neither that it waits nor that it has ended counts as running. */
const isNotRunning = ({ state }: corev1.ContainerStatus) => isGiven(state?.terminated) || isGiven(state?.waiting);

const isGiven = (value: unknown) => value !== undefined && value !== null;

/**
 * The kubelet has let go of the pod's volumes, or somebody deleted it by force. Finalizers of the pod may wait for this very claim to go, so
 * that to wait for the pod would be to wait for ever.
 */
const isShutDown = (pod: corev1.Pod) => isBeingDeleted(pod) && pod.metadata.deletionGracePeriodSeconds === 0;

function volumesFor(pod: corev1.Pod, claim: corev1.PersistentVolumeClaim): readonly corev1.Volume[] {
  return (pod.spec?.volumes ?? []).filter(
    (volume) =>
      claimNameOf(pod, volume) === claim.metadata.name && (!isEphemeral(volume) || isControlledBy(claim, pod)),
  );
}
