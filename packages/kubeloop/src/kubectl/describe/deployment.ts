// `describe deployment`: with its old and new replica sets, told apart by their templates as the controller does.
import type { appsv1, corev1 } from "@kubeloop/core/api";
import { fromLabelSelector, isControlledBy, printSelector, semanticEqual } from "@kubeloop/core/api";
import { writeConditions } from "./conditions.ts";
import { compareTexts } from "./containers.ts";
import { Description, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { writePodTemplate } from "./pod-template.ts";
import { printLocalTime } from "./times.ts";

export interface DeploymentParts {
  /** Those that its selector selects; undefined if they could not be listed. */
  readonly replicaSets: readonly appsv1.ReplicaSet[] | undefined;
  readonly events: ShownEvents;
}

export function describeDeployment(deployment: appsv1.Deployment, parts: DeploymentParts, nowMs: number): string {
  const { metadata, spec, status = {} } = deployment;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  to.line(0, "CreationTimestamp:", printLocalTime(metadata.creationTimestamp));
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.line(0, "Selector:", printSelector(fromLabelSelector(spec.selector)));
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, unavailableReplicas = 0 } = status;
  const counts = `${updatedReplicas} updated | ${replicas} total | ${availableReplicas} available`;
  to.line(0, "Replicas:", `${spec.replicas ?? 0} desired | ${counts} | ${unavailableReplicas} unavailable`);
  to.line(0, "StrategyType:", spec.strategy?.type);
  to.line(0, "MinReadySeconds:", spec.minReadySeconds ?? 0);
  const rolling = spec.strategy?.rollingUpdate;
  if (rolling !== undefined) {
    const { maxUnavailable = "<nil>", maxSurge = "<nil>" } = rolling;
    to.line(0, "RollingUpdateStrategy:", `${maxUnavailable} max unavailable, ${maxSurge} max surge`);
  }
  writePodTemplate(to, spec.template);
  writeConditions(to, status.conditions);
  writeReplicaSets(to, deployment, parts.replicaSets);
  writeEvents(to, parts.events, nowMs);
  return to.toString();
}

function writeReplicaSets(
  to: Description,
  deployment: appsv1.Deployment,
  replicaSets: readonly appsv1.ReplicaSet[] = [],
): void {
  const own = replicaSets.filter((set) => isControlledBy(set, deployment)).toSorted(byAge);
  if (own.length === 0) return;
  const current = own.find((set) => isOfTemplate(set.spec.template, deployment.spec.template));
  to.line(0, "OldReplicaSets:", printReplicaSets(own.filter((set) => set !== current)));
  to.line(0, "NewReplicaSet:", printReplicaSets(current === undefined ? [] : [current]));
}

function byAge(a: appsv1.ReplicaSet, b: appsv1.ReplicaSet): number {
  const times = compareTexts(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "");
  return times !== 0 ? times : compareTexts(a.metadata.name ?? "", b.metadata.name ?? "");
}

/** But for the label that tells the templates apart. */
function isOfTemplate(a: corev1.PodTemplateSpec | undefined, b: corev1.PodTemplateSpec): boolean {
  return semanticEqual(asPodTemplate(a), asPodTemplate(b));
}

function asPodTemplate(template: corev1.PodTemplateSpec | undefined): object {
  const { "pod-template-hash": _, ...labels } = template?.metadata?.labels ?? {};
  const plain = { ...template, metadata: { ...template?.metadata, labels } };
  return { apiVersion: "v1", kind: "PodTemplate", template: plain };
}

function printReplicaSets(sets: readonly appsv1.ReplicaSet[]): string {
  const printed = sets.map(({ metadata, spec, status }) => {
    return `${metadata.name} (${status?.replicas ?? 0}/${spec.replicas ?? 0} replicas created)`;
  });
  return printed.join(", ") || "<none>";
}
