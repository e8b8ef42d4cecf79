// How many pods are ready and available, and when the next one becomes available: a pod that has not been ready for `minReadySeconds` yet
// sends no event when it has, so its owner has to be looked at again then.
import type { corev1 } from "@kubeloop/core/api";
import { isPodReady, podAvailableAtMs } from "@kubeloop/core/rules";

export interface PodAvailability {
  readonly ready: number;
  readonly available: number;
  /** Undefined when no ready pod is still to become available. */
  readonly nextInMs: number | undefined;
}

export function podAvailability(
  pods: readonly corev1.Pod[],
  { minReadySeconds = 0, nowMs }: { readonly minReadySeconds?: number | undefined; readonly nowMs: number },
): PodAvailability {
  let ready = 0;
  let available = 0;
  let nextInMs: number | undefined;
  for (const pod of pods) {
    if (!isPodReady(pod)) continue;
    ready += 1;
    const atMs = podAvailableAtMs(pod, minReadySeconds);
    if (atMs === undefined) continue;
    if (atMs <= nowMs) available += 1;
    else nextInMs = Math.min(nextInMs ?? Number.POSITIVE_INFINITY, atMs - nowMs);
  }
  return { ready, available, nextInMs };
}
