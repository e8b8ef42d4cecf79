// What is left of a resource in a namespace, and what that means: wait for grace periods or finalizers, or something is wrong.
import { type corev1, type KubernetesObject, parseTime, type Resource } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";

/** What a list of one resource found; at least one item. */
export interface Found {
  readonly resource: Resource;
  /** Pods are listed whole, of others only the metadata. */
  readonly items: readonly KubernetesObject[];
}

export interface Remaining {
  readonly resource: Resource;
  readonly count: number;
  /** How many objects have each. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** How long it may take until they are gone; 0 if nothing explains why they are there. */
  readonly estimateSeconds: number;
  /** Set when nothing explains it. */
  readonly failure: Error | undefined;
}

const finalizerEstimateSeconds = 15;

export function judgeRemaining({ resource, items }: Found, { metadata }: corev1.Namespace, nowMs: number): Remaining {
  const finalizers = new Map<string, number>();
  for (const { metadata } of items) {
    for (const each of metadata.finalizers ?? []) finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
  }
  const deletedForMs = nowMs - parseTime(metadata.deletionTimestamp ?? "");
  const graceSeconds = isPods(resource) ? longestGrace(items as readonly corev1.Pod[]) : 0;
  // A grace period that has passed since the namespace was deleted explains nothing any more.
  const waitSeconds = deletedForMs >= graceSeconds * 1000 ? 0 : graceSeconds;
  const estimateSeconds = waitSeconds === 0 && finalizers.size > 0 ? finalizerEstimateSeconds : waitSeconds;
  const failure = estimateSeconds === 0 ? newUnexpected(resource, metadata.name ?? "") : undefined;
  return { resource, count: items.length, finalizers, estimateSeconds, failure };
}

export const isPods = ({ group, plural }: Resource) => group === "" && plural === "pods";

function longestGrace(pods: readonly corev1.Pod[]): number {
  let longest = 0;
  for (const { spec, status } of pods) {
    if (status?.phase === "Succeeded" || status?.phase === "Failed") continue;
    longest = Math.max(longest, spec?.terminationGracePeriodSeconds ?? 0);
  }
  return longest;
}

function newUnexpected({ group, version, plural }: Resource, namespace: string): KubeloopError {
  const message = `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${plural}`;
  return new KubeloopError(message, { reason: "ContentRemains" });
}
