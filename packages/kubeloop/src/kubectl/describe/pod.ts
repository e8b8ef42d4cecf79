// `describe pod`.
import type { corev1 } from "@kubeloop/core/api";
import { controllerOf } from "@kubeloop/core/api";
import { podQosClass } from "@kubeloop/core/rules";
import { writeContainers, writeResources } from "./containers.ts";
import { Description, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { writeSchedulingGroup, writeSpread, writeTolerations } from "./pod-template.ts";
import { printLocalTime, printSince } from "./times.ts";
import { writeVolumes } from "./volumes.ts";

export function describePod(pod: corev1.Pod, events: ShownEvents, nowMs: number): string {
  const to = new Description();
  writePlacement(to, pod);
  writeLabels(to, "Labels", pod.metadata.labels);
  writeAnnotations(to, "Annotations", pod.metadata.annotations);
  writeStatus(to, pod, nowMs);
  writeAllContainers(to, pod);
  writeConditions(to, pod);
  const { spec } = pod;
  writeVolumes(to, spec.volumes);
  to.line(0, "QoS Class:", podQosClass(pod));
  writeLabels(to, "Node-Selectors", spec.nodeSelector);
  writeTolerations(to, "Tolerations", spec.tolerations);
  writeSpread(to, spec.topologySpreadConstraints);
  writeSchedulingGroup(to, spec.schedulingGroup);
  writeEvents(to, events, nowMs);
  return to.toString();
}

function writePlacement(to: Description, { metadata, spec, status = {} }: corev1.Pod): void {
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  if (spec.priority !== undefined) to.line(0, "Priority:", spec.priority);
  writeIfSet(to, "Priority Class Name:", spec.priorityClassName);
  writeIfSet(to, "Runtime Class Name:", spec.runtimeClassName);
  writeIfSet(to, "Service Account:", spec.serviceAccountName);
  const node = spec.nodeName ?? "";
  to.line(0, "Node:", node === "" ? "<none>" : `${node}/${status.hostIP ?? ""}`);
  if (status.startTime !== undefined) to.line(0, "Start Time:", printLocalTime(status.startTime));
}

function writeIfSet(to: Description, title: string, value: string | undefined): void {
  if (value !== undefined && value !== "") to.line(0, title, value);
}

function writeStatus(to: Description, pod: corev1.Pod, nowMs: number): void {
  const { metadata, spec, status = {} } = pod;
  const hasEnded = status.phase === "Failed" || status.phase === "Succeeded";
  if (metadata.deletionTimestamp !== undefined && !hasEnded) {
    to.line(0, "Status:", `Terminating (lasts ${printSince(metadata.deletionTimestamp, nowMs)})`);
    to.line(0, "Termination Grace Period:", `${metadata.deletionGracePeriodSeconds ?? 0}s`);
  } else {
    to.line(0, "Status:", status.phase);
  }
  writeIfSet(to, "Reason:", status.reason);
  writeIfSet(to, "Message:", status.message);
  const profile = spec.securityContext?.seccompProfile;
  if (profile !== undefined) to.line(0, "SeccompProfile:", profile.type);
  if (profile?.type === "Localhost") to.line(0, "LocalhostProfile:", profile.localhostProfile);
  to.line(0, "IP:", status.podIP);
  const ips = status.podIPs ?? [];
  to.line(0, "IPs:", ...(ips.length === 0 ? ["<none>"] : []));
  for (const { ip } of ips) to.line(1, "IP:", ip);
  const owner = controllerOf(pod);
  if (owner !== undefined) to.line(0, "Controlled By:", `${owner.kind}/${owner.name}`);
  writeIfSet(to, "NominatedNodeName:", status.nominatedNodeName);
}

function writeAllContainers(to: Description, pod: corev1.Pod): void {
  const { spec, status = {} } = pod;
  if (spec.resources !== undefined) {
    to.line(0, "Resources:");
    writeResources(to, 1, spec.resources);
  }
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = status;
  if (initContainers.length > 0)
    writeContainers(to, { title: "Init Containers", containers: initContainers, statuses: initContainerStatuses, pod });
  writeContainers(to, { title: "Containers", containers, statuses: containerStatuses, pod });
  if (ephemeralContainers.length === 0) return;
  const statuses = ephemeralContainerStatuses;
  writeContainers(to, { title: "Ephemeral Containers", containers: ephemeralContainers, statuses, pod });
}

function writeConditions(to: Description, { spec, status }: corev1.Pod): void {
  const { readinessGates = [] } = spec;
  const conditions = status?.conditions ?? [];
  if (readinessGates.length > 0) {
    to.line(0, "Readiness Gates:");
    to.line(1, "Type", "Status");
  }
  for (const { conditionType } of readinessGates) {
    const found = conditions.find(({ type }) => type === conditionType)?.status ?? "<none>";
    to.line(1, `${conditionType} `, `${found} `);
  }
  if (conditions.length === 0) return;
  to.line(0, "Conditions:");
  to.line(1, "Type", "Status");
  for (const { type, status: value } of conditions) to.line(1, `${type} `, `${value} `);
}
