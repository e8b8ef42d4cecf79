// What pods and the templates of workloads have in common, and the template of a workload.
import type { corev1 } from "@kubeloop/core/api";
import { formatLabelSelector } from "@kubeloop/core/api";
import { sortedBy, writeContainers } from "./containers.ts";
import { type Description, writeAnnotations, writeLabels, writeList } from "./description.ts";
import { writeVolumes } from "./volumes.ts";

export function writePodTemplate(to: Description, template: corev1.PodTemplateSpec | undefined): void {
  to.line(0, "Pod Template:");
  if (template === undefined) {
    to.write("  <unset>");
    return;
  }
  const { metadata = {}, spec } = template;
  writeLabels(to, "  Labels", metadata.labels);
  if (Object.keys(metadata.annotations ?? {}).length > 0) writeAnnotations(to, "  Annotations", metadata.annotations);
  if (spec === undefined) return;
  if ((spec.serviceAccountName ?? "") !== "") to.line(1, "Service Account:", spec.serviceAccountName);
  if ((spec.initContainers ?? []).length > 0)
    writeContainers(to, { title: "Init Containers", containers: spec.initContainers, isTemplate: true });
  writeContainers(to, { title: "Containers", containers: spec.containers, isTemplate: true });
  writeVolumes(to, spec.volumes, true);
  writeSpread(to, spec.topologySpreadConstraints, "  ");
  if ((spec.priorityClassName ?? "") !== "") to.line(1, "Priority Class Name:", spec.priorityClassName);
  writeLabels(to, "  Node-Selectors", spec.nodeSelector);
  writeTolerations(to, "  Tolerations", spec.tolerations);
  writeSchedulingGroup(to, spec.schedulingGroup, "  ");
}

export function writeSpread(
  to: Description,
  constraints: readonly corev1.TopologySpreadConstraint[] = [],
  space = "",
): void {
  for (const [at, constraint] of sortedBy(constraints, ({ topologyKey }) => topologyKey).entries()) {
    const { topologyKey, whenUnsatisfiable, maxSkew, labelSelector } = constraint;
    const which = labelSelector === undefined ? "" : ` for selector ${formatLabelSelector(labelSelector)}`;
    const title = at === 0 ? "Topology Spread Constraints:" : "";
    to.write(`${space}${title}\t${topologyKey}:${whenUnsatisfiable} when max skew ${maxSkew} is exceeded${which}\n`);
  }
}

export function writeTolerations(to: Description, title: string, tolerations: readonly corev1.Toleration[] = []): void {
  writeList(to, title, sortedBy(tolerations, ({ key = "" }) => key).map(printToleration));
}

function printToleration({ key = "", value = "", effect = "", operator, tolerationSeconds }: corev1.Toleration) {
  const what = `${key}${value === "" ? "" : `=${value}`}${effect === "" ? "" : `:${effect}`}`;
  const exists = operator === "Exists" && value === "" ? `${key === "" && effect === "" ? "" : " "}op=Exists` : "";
  return `${what}${exists}${tolerationSeconds === undefined ? "" : ` for ${tolerationSeconds}s`}`;
}

export function writeSchedulingGroup(to: Description, group: corev1.PodSchedulingGroup | undefined, space = ""): void {
  if (group === undefined) return;
  to.write(`${space}SchedulingGroup:\n`);
  to.line(1, "PodGroupName:", group.podGroupName);
}
