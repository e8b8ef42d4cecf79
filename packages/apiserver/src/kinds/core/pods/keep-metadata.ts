// For subresources through which only one part of a pod's spec can be changed.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kind-rules.ts";
import { isSame } from "../../shared/same.ts";
import { keepMetadata } from "../../shared/status-metadata.ts";
import { podSpecSchema } from "./check-update.ts";

/** Everything as it was but the spec, whose change raises the generation. */
export function keepAllBut(pod: Draft<corev1.Pod>, old: corev1.Pod, spec: Draft<corev1.PodSpec>): void {
  pod.spec = spec;
  const before = old as Draft<corev1.Pod>;
  if (before.status === undefined) delete pod.status;
  else pod.status = before.status;
  keepMetadata(pod.metadata, old.metadata);
  raisePodGeneration(pod, old);
}

export function raisePodGeneration(pod: Draft<corev1.Pod>, old: corev1.Pod): void {
  if (!isSame(pod.spec, old.spec, podSpecSchema)) pod.metadata.generation = (old.metadata.generation ?? 0) + 1;
}
