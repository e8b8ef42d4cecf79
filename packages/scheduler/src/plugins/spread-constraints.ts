// The topology spread constraints of a pod, read once per cycle: its own, or the defaults of the cluster if it has none at all. Both halves of
// PodTopologySpread, the filter and the score, start from these.
import {
  addRequirements,
  fromLabelSelector,
  isEverything,
  matchesSelector,
  printSelector,
  type Selector,
  selectorFromLabels,
} from "@kubeloop/core/api";
import { findUntoleratedTaint, matchesNodeAffinity } from "@kubeloop/core/rules";
import type { Pod, TopologySpreadConstraint } from "@kubeloop/core/types/core/v1";
import type { Listers } from "../framework/listers.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";

export const hostnameLabel = "kubernetes.io/hostname";

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: Selector;
  /** Names the selector together with the pod's namespace. */
  readonly countKey: string;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export type WhenUnsatisfiable = "DoNotSchedule" | "ScheduleAnyway";

/** Returns the pod's own constraints of this kind. The cluster's defaults are never hard. */
export function ownConstraints(pod: Pod, whenUnsatisfiable: WhenUnsatisfiable): readonly SpreadConstraint[] {
  return (pod.spec.topologySpreadConstraints ?? [])
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => toConstraint(pod, constraint));
}

export function hasOwnConstraints(pod: Pod): boolean {
  return (pod.spec.topologySpreadConstraints ?? []).length > 0;
}

function toConstraint(pod: Pod, constraint: TopologySpreadConstraint): SpreadConstraint {
  const { topologyKey, maxSkew, minDomains, labelSelector, matchLabelKeys = [] } = constraint;
  const labels = pod.metadata.labels ?? {};
  const requirements = matchLabelKeys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator: "=" as const, values: [value] }];
  });
  const selector = addRequirements(fromLabelSelector(labelSelector), requirements);
  return {
    topologyKey,
    maxSkew,
    minDomains: minDomains ?? 1,
    selector,
    countKey: countKey(pod, selector),
    honorsAffinity: (constraint.nodeAffinityPolicy ?? "Honor") === "Honor" && hasNodeAffinity(pod),
    honorsTaints: (constraint.nodeTaintsPolicy ?? "Ignore") === "Honor",
  };
}

function countKey({ metadata: { namespace = "" } }: Pod, selector: Selector): string {
  return `spread ${namespace} ${selector.selects} ${printSelector(selector)}`;
}

/** Whether the pod is particular about nodes at all: most are not, and then no node need be asked. */
function hasNodeAffinity({ spec: { nodeSelector, affinity } }: Pod): boolean {
  return nodeSelector !== undefined || affinity?.nodeAffinity !== undefined;
}

/** The soft constraints of pods that have none of their own. */
export interface DefaultSpreading {
  readonly constraints: readonly Pick<
    TopologySpreadConstraint,
    "topologyKey" | "maxSkew" | "nodeAffinityPolicy" | "nodeTaintsPolicy"
  >[];
  /** Whether a node without all the keys is left out. */
  readonly needsAllKeys: boolean;
}

/** Upstream's defaults. */
export const systemSpreading: DefaultSpreading = {
  constraints: [
    { topologyKey: hostnameLabel, maxSkew: 3 },
    { topologyKey: "topology.kubernetes.io/zone", maxSkew: 5 },
  ],
  needsAllKeys: false,
};

/** Returns the default constraints for the pods that the same services and the same owner select. None if nothing selects the pod. */
export function defaultConstraints(
  pod: Pod,
  listers: Listers,
  { constraints }: DefaultSpreading,
): readonly SpreadConstraint[] {
  if (constraints.length === 0) return [];
  const selector = defaultSelector(pod, listers);
  if (isEverything(selector)) return [];
  return constraints.map(({ topologyKey, maxSkew, nodeAffinityPolicy, nodeTaintsPolicy }) => ({
    topologyKey,
    maxSkew,
    minDomains: 1,
    selector,
    countKey: countKey(pod, selector),
    honorsAffinity: (nodeAffinityPolicy ?? "Honor") === "Honor" && hasNodeAffinity(pod),
    honorsTaints: (nodeTaintsPolicy ?? "Ignore") === "Honor",
  }));
}

function defaultSelector(pod: Pod, listers: Listers): Selector {
  const { namespace = "", labels, ownerReferences = [] } = pod.metadata;
  let merged: Readonly<Record<string, string>> = {};
  for (const service of listers.services(namespace)) {
    const selected = service.spec?.selector;
    if (selected === undefined || selected === null) continue;
    if (matchesSelector(selectorFromLabels(selected), labels)) merged = { ...merged, ...selected };
  }
  const ofServices = selectorFromLabels(merged);
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner === undefined) return ofServices;
  switch (`${owner.apiVersion}/${owner.kind}`) {
    case "v1/ReplicationController": {
      const controller = listers.replicationController(namespace, owner.name);
      return selectorFromLabels({ ...merged, ...controller?.spec?.selector });
    }
    case "apps/v1/ReplicaSet":
      return withOwner(ofServices, listers.replicaSet(namespace, owner.name)?.spec?.selector);
    case "apps/v1/StatefulSet":
      return withOwner(ofServices, listers.statefulSet(namespace, owner.name)?.spec?.selector);
    default:
      return ofServices;
  }
}

function withOwner(selector: Selector, ofOwner: Parameters<typeof fromLabelSelector>[0]): Selector {
  const other = fromLabelSelector(ofOwner);
  return other.selects === "nothing" ? selector : addRequirements(selector, other.requirements);
}

/** Whether the node counts for this constraint, by its policies on node affinity and taints. */
export function isNodeIncluded(constraint: SpreadConstraint, pod: Pod, { node }: NodeInfo): boolean {
  if (constraint.honorsAffinity && !matchesNodeAffinity(pod, node)) return false;
  if (!constraint.honorsTaints) return true;
  const effects = ["NoSchedule", "NoExecute"];
  return findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, { effects }) === undefined;
}

export function hasAllTopologyKeys(constraints: readonly SpreadConstraint[], { labels }: NodeInfo): boolean {
  return constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
}

/** Counts the node's pods that the selector matches. Terminating pods do not count. As upstream, an empty selector counts none. */
export function countMatchingPods(
  node: NodeInfo,
  { selector, countKey: key }: SpreadConstraint,
  namespace: string,
): number {
  if (node.podCount === 0 || isEverything(selector)) return 0;
  return node.countPods(
    key,
    (podInfo) =>
      !podInfo.isTerminating &&
      podInfo.namespace === namespace &&
      matchesSelector(selector, podInfo.pod.metadata.labels),
  );
}
