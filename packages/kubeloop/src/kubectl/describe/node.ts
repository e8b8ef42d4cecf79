// `describe node`: with its lease, and what its pods take of it.
import type { coordinationv1, corev1, resourcev1 } from "@kubeloop/core/api";
import { canonicalQuantity } from "@kubeloop/core/api";
import { sortedBy } from "./containers.ts";
import { Description, sortedKeys, writeAnnotations, writeLabels, writeList } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { writeNodeResources } from "./node-resources.ts";
import { printLocalTime } from "./times.ts";

export interface NodeParts {
  /** Those on it that have not ended; undefined if they may not be seen. */
  readonly pods: readonly corev1.Pod[] | undefined;
  /** Or why there is none. */
  readonly lease: coordinationv1.Lease | string;
  readonly resourceSlices: readonly resourcev1.ResourceSlice[];
  readonly events: ShownEvents;
}

export function describeNode(node: corev1.Node, parts: NodeParts, nowMs: number): string {
  const { metadata, spec = {}, status = {} } = node;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Roles:", rolesOf(node).join(",") || "<none>");
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.line(0, "CreationTimestamp:", printLocalTime(metadata.creationTimestamp));
  const taints = sortedBy(spec.taints ?? [], ({ effect, key }) => `${effect},${key}`);
  writeList(to, "Taints", taints.map(printTaint));
  to.line(0, "Unschedulable:", spec.unschedulable ?? false);
  writeLease(to, parts.lease);
  writeConditions(to, status.conditions);
  to.line(0, "Addresses:");
  for (const { type, address } of status.addresses ?? []) to.line(1, `${type}:`, address);
  writeAmounts(to, "Capacity:", status.capacity);
  writeAmounts(to, "Allocatable:", status.allocatable);
  writeResourceSlices(to, parts.resourceSlices);
  writeSystem(to, status.nodeInfo);
  if ((spec.podCIDR ?? "") !== "") to.line(0, "PodCIDR:", spec.podCIDR);
  if ((spec.podCIDRs ?? []).length > 0) to.line(0, "PodCIDRs:", spec.podCIDRs?.join(","));
  if ((spec.providerID ?? "") !== "") to.line(0, "ProviderID:", spec.providerID);
  if (parts.pods === undefined) to.line(0, "Pods:", "not authorized");
  else writeNodeResources(to, node, parts.pods, nowMs);
  writeEvents(to, parts.events, nowMs);
  return to.toString();
}

const rolePrefix = "node-role.kubernetes.io/";

function rolesOf({ metadata: { labels = {} } }: corev1.Node): readonly string[] {
  const roles = Object.entries(labels).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  return [...new Set(roles.filter((role) => role !== ""))].toSorted();
}

function printTaint({ key, value = "", effect }: corev1.Taint): string {
  return value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}

function writeLease(to: Description, lease: coordinationv1.Lease | string): void {
  if (typeof lease === "string") {
    to.line(0, "Lease:", `Failed to get lease: ${lease}`);
    return;
  }
  const { holderIdentity = "<unset>", acquireTime, renewTime } = lease.spec ?? {};
  to.line(0, "Lease:");
  to.line(1, "HolderIdentity:", holderIdentity);
  to.line(1, "AcquireTime:", acquireTime === undefined ? "<unset>" : printLocalTime(acquireTime));
  to.line(1, "RenewTime:", renewTime === undefined ? "<unset>" : printLocalTime(renewTime));
}

function writeConditions(to: Description, conditions: readonly corev1.NodeCondition[] = []): void {
  if (conditions.length === 0) return;
  to.line(0, "Conditions:");
  to.line(1, "Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message");
  to.line(1, "----", "------", "-----------------", "------------------", "------", "-------");
  for (const { type, status, lastHeartbeatTime, lastTransitionTime, reason = "", message } of conditions) {
    const [heartbeat, transition] = [printLocalTime(lastHeartbeatTime), printLocalTime(lastTransitionTime)];
    to.line(1, `${type} `, `${status} `, `${heartbeat} `, `${transition} `, `${reason} `, message);
  }
}

function writeAmounts(to: Description, title: string, amounts: { readonly [name: string]: string } = {}): void {
  const names = sortedKeys(amounts);
  if (names.length > 0) to.line(0, title);
  for (const name of names) to.line(1, `${name}:`, canonicalQuantity(amounts[name] ?? "0"));
}

const mostPools = 10;

/** Counted by driver and pool. */
function writeResourceSlices(to: Description, slices: readonly resourcev1.ResourceSlice[]): void {
  const pools = new Map<string, { driver: string; pool: string; slices: number; devices: number }>();
  for (const { spec } of slices) {
    const key = `${spec.driver}/${spec.pool.name}`;
    const known = pools.get(key) ?? { driver: spec.driver, pool: spec.pool.name, slices: 0, devices: 0 };
    pools.set(key, { ...known, slices: known.slices + 1, devices: known.devices + (spec.devices ?? []).length });
  }
  if (pools.size === 0) return;
  to.line(0, "Node-Local ResourceSlices:");
  to.line(1, "Driver", "Pool", "Slices", "Devices");
  to.line(1, "------", "----", "------", "-------");
  for (const [, found] of sortedBy([...pools], ([key]) => key).slice(0, mostPools))
    to.line(1, found.driver, found.pool, found.slices, found.devices);
  if (pools.size > mostPools) to.line(1, `...and ${pools.size - mostPools} more pools`);
}

function writeSystem(to: Description, info: Partial<corev1.NodeSystemInfo> = {}): void {
  to.line(0, "System Info:");
  to.line(1, "Machine ID:", info.machineID);
  to.line(1, "System UUID:", info.systemUUID);
  to.line(1, "Boot ID:", info.bootID);
  to.line(1, "Kernel Version:", info.kernelVersion);
  to.line(1, "OS Image:", info.osImage);
  to.line(1, "Operating System:", info.operatingSystem);
  to.line(1, "Architecture:", info.architecture);
  to.line(1, "Container Runtime Version:", info.containerRuntimeVersion);
  to.line(1, "Kubelet Version:", info.kubeletVersion);
}
