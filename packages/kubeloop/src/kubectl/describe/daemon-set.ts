// `describe daemonset`.
import type { appsv1, corev1 } from "@kubeloop/core/api";
import { fromLabelSelector, printSelector } from "@kubeloop/core/api";
import { Description, printLabels, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { writePodTemplate } from "./pod-template.ts";
import { printPodCounts } from "./replica-set.ts";

export interface WorkloadParts {
  /** Those that its selector selects. */
  readonly pods: readonly corev1.Pod[];
  readonly events: ShownEvents;
}

export function describeDaemonSet(set: appsv1.DaemonSet, parts: WorkloadParts, nowMs: number): string {
  const { metadata, spec, status } = set;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  to.line(0, "Selector:", printSelector(fromLabelSelector(spec.selector)));
  to.line(0, "Node-Selector:", printLabels(spec.template.spec?.nodeSelector));
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.line(0, `Desired Number of Nodes Scheduled: ${status?.desiredNumberScheduled ?? 0}`);
  to.line(0, `Current Number of Nodes Scheduled: ${status?.currentNumberScheduled ?? 0}`);
  to.line(0, `Number of Nodes Scheduled with Up-to-date Pods: ${status?.updatedNumberScheduled ?? 0}`);
  to.line(0, `Number of Nodes Scheduled with Available Pods: ${status?.numberAvailable ?? 0}`);
  to.line(0, `Number of Nodes Misscheduled: ${status?.numberMisscheduled ?? 0}`);
  to.line(0, "Pods Status:", printPodCounts(parts.pods, metadata.uid));
  writePodTemplate(to, spec.template);
  writeEvents(to, parts.events, nowMs);
  return to.toString();
}
