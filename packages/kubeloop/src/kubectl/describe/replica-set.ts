// `describe replicaset`.
import type { appsv1, corev1 } from "@kubeloop/core/api";
import { controllerOf, formatLabelSelector } from "@kubeloop/core/api";
import { writeConditions } from "./conditions.ts";
import { Description, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { writePodTemplate } from "./pod-template.ts";

export interface ReplicaSetParts {
  /** Those that its selector selects, or why they could not be listed. */
  readonly pods: readonly corev1.Pod[] | string;
  readonly events: ShownEvents;
}

export function describeReplicaSet(set: appsv1.ReplicaSet, parts: ReplicaSetParts, nowMs: number): string {
  const { metadata, spec, status } = set;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  to.line(0, "Selector:", formatLabelSelector(spec.selector));
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  const owner = controllerOf(set);
  if (owner !== undefined) to.line(0, "Controlled By:", `${owner.kind}/${owner.name}`);
  to.line(0, "Replicas:", `${status?.replicas ?? 0} current / ${spec.replicas ?? 0} desired`);
  const { pods } = parts;
  to.line(
    0,
    "Pods Status:",
    typeof pods === "string" ? `error in fetching pods: ${pods}` : printPodCounts(pods, metadata.uid),
  );
  writePodTemplate(to, spec.template);
  writeConditions(to, status?.conditions);
  writeEvents(to, parts.events, nowMs);
  return to.toString();
}

/** Only the pods that the controller with this uid owns count. */
export function printPodCounts(pods: readonly corev1.Pod[], uid: string | undefined): string {
  const own = pods.filter((pod) => controllerOf(pod)?.uid === uid);
  const count = (phase: string) => own.filter(({ status }) => status?.phase === phase).length;
  const ended = `${count("Succeeded")} Succeeded / ${count("Failed")} Failed`;
  return `${count("Running")} Running / ${count("Pending")} Waiting / ${ended}`;
}
