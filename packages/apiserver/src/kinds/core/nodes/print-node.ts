// A node as a row: whether it is ready, what it is for, and what it runs.
import type { corev1 } from "@kubeloop/core/api";
import type { PrintContext } from "../../kind-rules.ts";
import { isAbsent } from "../../shared/checks.ts";
import { printAge } from "../../shared/print-age.ts";

const rolePrefix = "node-role.kubernetes.io/";
const roleLabel = "kubernetes.io/role";

export function printNode({ metadata, spec, status }: corev1.Node, { nowMs }: PrintContext): readonly unknown[] {
  const { nodeInfo } = status ?? {};
  const kernel = nodeInfo?.kernelVersion || "<unknown>";
  const addressOf = (type: string) => status?.addresses?.find((each) => each.type === type)?.address ?? "<none>";
  return [
    metadata.name,
    [printReadiness(status), ...(spec?.unschedulable === true ? ["SchedulingDisabled"] : [])].join(","),
    rolesOf(metadata.labels ?? {}).join(",") || "<none>",
    printAge(metadata.creationTimestamp, nowMs),
    nodeInfo?.kubeletVersion ?? "",
    addressOf("InternalIP"),
    addressOf("ExternalIP"),
    nodeInfo?.osImage || "<unknown>",
    isAbsent(nodeInfo?.architecture) ? kernel : `${kernel} (${nodeInfo?.architecture})`,
    nodeInfo?.containerRuntimeVersion || "<unknown>",
  ];
}

function printReadiness(status: corev1.NodeStatus | undefined): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  if (ready === undefined) return "Unknown";
  return ready.status === "True" ? "Ready" : "NotReady";
}

function rolesOf(labels: Readonly<Record<string, string>>): readonly string[] {
  const roles = Object.entries(labels).map(([name, value]) => {
    if (name.startsWith(rolePrefix)) return name.slice(rolePrefix.length);
    return name === roleLabel ? value : "";
  });
  return [...new Set(roles.filter((role) => role !== ""))].toSorted();
}
