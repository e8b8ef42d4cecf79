// Which event may help a pod that a plugin refused. Only the plugins that refused the pod are asked, so that a change in the cluster wakes few pods.
// The rules are upstream's, also where they wake more than need be: a taint that changes wakes every pod that was refused by a plugin which asks for
// new nodes, because a new node may have been passed over while it was tainted.
import { matchesSelector } from "@kubeloop/core/api";
import { findUntoleratedTaint, isTaintTolerated, matchesNodeAffinity } from "@kubeloop/core/rules";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { featuresOf } from "../plugins/node-declared-features.ts";
import { findShortage } from "../plugins/node-resources-fit.ts";
import { ownConstraints } from "../plugins/spread-constraints.ts";
import { matchesAllTerms } from "../snapshot/affinity-term.ts";
import { HostPorts } from "../snapshot/host-ports.ts";
import { NodeInfo } from "../snapshot/node-info.ts";
import { boundPodInfo, incomingPodInfo, type PodInfo } from "../snapshot/pod-info.ts";
import { allocatableOf, requestsOfBound } from "../snapshot/resources.ts";
import { type ClusterEvent, isPlaced } from "./cluster-event.ts";
import type { NodeEvent, PluginHints, PodEvent } from "./plugin-hints.ts";
import { isRegistered } from "./registered-events.ts";
import { volumeHints } from "./volume-hints.ts";

/** Told when a plugin's hint begins and ends. Nothing is read back from it. */
export interface HintObserver {
  begin(): void;
  end(plugin: string, event: ClusterEvent, hint: "Queue" | "QueueSkip"): void;
}

/** Whether the event may make the pod schedulable, which these plugins refused. */
export function isWorthRequeuing(
  pod: PodInfo,
  rejectingPlugins: ReadonlySet<string>,
  event: ClusterEvent,
  observer?: HintObserver,
): boolean {
  // A pod that nobody refused failed by an error, and may succeed at any time.
  if (rejectingPlugins.size === 0 || event.on === "timeout") return true;
  for (const plugin of rejectingPlugins) {
    const hints = hintsOf[plugin];
    if (hints === undefined || !isRegistered(plugin, event)) continue;
    observer?.begin();
    const isQueued = isHelped(pod, hints, event);
    observer?.end(plugin, event, isQueued ? "Queue" : "QueueSkip");
    if (isQueued) return true;
  }
  return false;
}

function isHelped(pod: PodInfo, hints: PluginHints, event: Exclude<ClusterEvent, { readonly on: "timeout" }>): boolean {
  if (event.on === "node") return hints.node?.(pod, event) === true;
  return event.on === "pod" ? hints.pod?.(pod, event) === true : hints.storage?.(pod, event) === true;
}

const isSelf = (pod: PodInfo, { after }: PodEvent) => after?.metadata.uid === pod.uid;
const isAddOrTaint = ({ change }: NodeEvent) => change === "add" || change === "taints";

export const hintsOf: Readonly<Record<string, PluginHints>> = {
  SchedulingGates: { pod: (pod, event) => event.change === "gates eliminated" && isSelf(pod, event) },
  NodeUnschedulable: {
    node: (_, event) => {
      if (!isAddOrTaint(event) || event.after?.spec?.unschedulable === true) return false;
      return event.before === undefined || event.before.spec?.unschedulable === true;
    },
    pod: (pod, event) => {
      const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
      return (
        event.change === "tolerations" && isSelf(pod, event) && isTaintTolerated(taint, event.after?.spec.tolerations)
      );
    },
  },
  NodeName: { node: (_, event) => isAddOrTaint(event) },
  TaintToleration: {
    node: (pod, event) => {
      if (!isAddOrTaint(event) || event.after === undefined || !toleratesNode(pod.pod, event.after)) return false;
      return event.before === undefined || !toleratesNode(pod.pod, event.before);
    },
    pod: (pod, event) => event.change === "tolerations" && isSelf(pod, event),
  },
  NodeAffinity: {
    node: (pod, { change, before, after }) => {
      if (change === "taints") return true;
      if ((change !== "add" && change !== "labels") || after === undefined) return false;
      return matchesNodeAffinity(pod.pod, after) && (before === undefined || !matchesNodeAffinity(pod.pod, before));
    },
  },
  NodePorts: {
    node: (_, event) => isAddOrTaint(event),
    pod: (pod, { change, before }) => change === "delete" && isPlaced(before) && hasPortConflict(pod, before),
  },
  NodeResourcesFit: { node: wakesForResources, pod: wakesForFreedResources },
  ...volumeHints,
  PodTopologySpread: { node: wakesForSpreadNode, pod: wakesForSpreadPod },
  InterPodAffinity: { node: wakesForAffinityNode, pod: wakesForAffinityPod },
  NodeDeclaredFeatures: {
    node: (_, { change }) => change === "add" || change === "taints" || change === "declared features",
    pod: (pod, event) => {
      const { before, after } = event;
      if (!isSelf(pod, event) || before === undefined || after === undefined) return false;
      return featuresOf(before).join() !== featuresOf(after).join();
    },
  },
};

function toleratesNode(pod: Pod, node: Node): boolean {
  const effects = ["NoSchedule", "NoExecute"];
  return findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, { effects }) === undefined;
}

function hasPortConflict(pod: PodInfo, deleted: Pod): boolean {
  const ports = new HostPorts();
  for (const port of boundPodInfo(deleted).hostPorts) ports.add(port);
  return pod.hostPorts.some((port) => ports.hasConflict(port));
}

/** The empty node must be able to take the pod, and have more of what it needs than before. */
function wakesForResources({ requests }: PodInfo, { change, before, after }: NodeEvent): boolean {
  if (change === "taints") return true;
  if ((change !== "add" && change !== "allocatable") || after === undefined) return false;
  if (findShortage(requests, new NodeInfo(after)) !== undefined) return false;
  if (before === undefined) return true;
  const had = allocatableOf(before);
  const has = allocatableOf(after);
  return (
    has.pods > had.pods ||
    (requests.milliCpu > 0 && has.milliCpu > had.milliCpu) ||
    (requests.memory > 0 && has.memory > had.memory) ||
    (requests.ephemeralStorage > 0 && has.ephemeralStorage > had.ephemeralStorage) ||
    [...requests.scalar].some(
      ([name, amount]) => amount > 0 && (has.scalar.get(name) ?? 0) > (had.scalar.get(name) ?? 0),
    )
  );
}

/** Whatever a deleted pod had requested, it frees a place for one. */
function wakesForFreedResources(pod: PodInfo, event: PodEvent): boolean {
  const { change, before, after } = event;
  if (change === "delete") return isPlaced(before);
  if (change !== "scale down" || before === undefined || after === undefined) return false;
  if (isSelf(pod, event)) return true;
  if ((after.spec.nodeName ?? "") === "") return false;
  const { requests } = pod;
  const had = requestsOfBound(before);
  const has = requestsOfBound(after);
  return (
    (requests.milliCpu > 0 && has.milliCpu < had.milliCpu) ||
    (requests.memory > 0 && has.memory < had.memory) ||
    (requests.ephemeralStorage > 0 && has.ephemeralStorage < had.ephemeralStorage) ||
    [...requests.scalar].some(
      ([name, amount]) => amount > 0 && (has.scalar.get(name) ?? 0) < (had.scalar.get(name) ?? 0),
    )
  );
}

function wakesForSpreadPod(pod: PodInfo, event: PodEvent): boolean {
  const { change, before, after } = event;
  if (change === "scale down" || change === "gates eliminated" || change === "update") return false;
  const isInvolved = (other: Pod) =>
    other.metadata.uid === pod.uid || (isPlaced(other) && other.metadata.namespace === pod.namespace);
  if ((before !== undefined && !isInvolved(before)) || (after !== undefined && !isInvolved(after))) return false;
  const constraints = ownConstraints(pod.pod, "DoNotSchedule");
  if (change === "tolerations") return isSelf(pod, event) && constraints.some(({ honorsTaints }) => honorsTaints);
  return constraints.some(({ selector }) => {
    const matchedBefore = before !== undefined && matchesSelector(selector, before.metadata.labels);
    const matchesAfter = after !== undefined && matchesSelector(selector, after.metadata.labels);
    return matchedBefore !== matchesAfter;
  });
}

function wakesForSpreadNode(pod: PodInfo, { change, before, after }: NodeEvent): boolean {
  if (change !== "add" && change !== "delete" && change !== "labels" && change !== "taints") return false;
  const keys = ownConstraints(pod.pod, "DoNotSchedule").map(({ topologyKey }) => topologyKey);
  const hasKeys = (node: Node | undefined) =>
    node !== undefined && keys.every((key) => node.metadata.labels?.[key] !== undefined);
  if (hasKeys(before) !== hasKeys(after)) return true;
  if (before === undefined || after === undefined || !hasKeys(after)) return false;
  const isMoved = keys.some((key) => before.metadata.labels?.[key] !== after.metadata.labels?.[key]);
  return isMoved || change === "taints";
}

function wakesForAffinityPod(pod: PodInfo, event: PodEvent): boolean {
  const { change, before, after } = event;
  if (change !== "add" && change !== "delete" && change !== "labels") return false;
  if (change === "labels" && isSelf(pod, event)) return true;
  if ((before !== undefined && !isPlaced(before)) || (after !== undefined && !isPlaced(after))) return false;
  const { requiredAffinity: near, requiredAntiAffinity: far } = pod;
  if (before !== undefined && after !== undefined) {
    const comesNear = !matchesAllTerms(near, before) && matchesAllTerms(near, after);
    return comesNear || (matchesAllTerms(far, before) && !matchesAllTerms(far, after));
  }
  if (after !== undefined) return matchesAllTerms(near, after);
  if (before === undefined) return false;
  return matchesAllTerms(far, before) || matchesAllTerms(incomingPodInfo(before).requiredAntiAffinity, pod.pod);
}

function wakesForAffinityNode(pod: PodInfo, { change, before, after }: NodeEvent): boolean {
  if (change === "taints") return true;
  if ((change !== "add" && change !== "labels") || after === undefined) return false;
  const values = (key: string) => [before?.metadata.labels?.[key], after.metadata.labels?.[key]] as const;
  const isNear = pod.requiredAffinity.some(({ topologyKey }) => {
    const [was, is] = values(topologyKey);
    return is !== undefined && is !== was;
  });
  if (isNear) return true;
  return pod.requiredAntiAffinity.some(({ topologyKey }) => {
    const [was, is] = values(topologyKey);
    return before === undefined || (was !== undefined && is !== was);
  });
}
