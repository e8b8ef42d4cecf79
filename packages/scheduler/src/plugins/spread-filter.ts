// The filter of PodTopologySpread. A node is refused if the pod would bring its domain more than maxSkew above the emptiest domain. Only nodes that
// have the keys of all hard constraints are counted; whether one counts for a constraint is up to that constraint's policies.
import { matchesSelector } from "@kubeloop/core/api";
import type { Cycle, NodeFilter, Refusal } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import {
  countMatchingPods,
  hasAllTopologyKeys,
  isNodeIncluded,
  ownConstraints,
  type SpreadConstraint,
} from "./spread-constraints.ts";

const plugin = "PodTopologySpread";
const missingLabel: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin,
  reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
};
const skewed: Refusal = {
  code: "Unschedulable",
  plugin,
  reasons: ["node(s) didn't match pod topology spread constraints"],
};

interface Counted {
  readonly constraint: SpreadConstraint;
  readonly selfMatch: 0 | 1;
  /** The number of matching pods by topology value. */
  readonly domains: Map<string, number>;
  /** The smallest of those numbers, or undefined until it is asked for again. */
  min: number | undefined;
}

export function newSpreadFilter({ pod, snapshot }: Cycle): NodeFilter | undefined {
  const constraints = ownConstraints(pod.pod, "DoNotSchedule");
  if (constraints.length === 0) return undefined;
  const counted = constraints.map(
    (constraint): Counted => ({
      constraint,
      selfMatch: matchesSelector(constraint.selector, pod.pod.metadata.labels) ? 1 : 0,
      domains: new Map(),
      min: undefined,
    }),
  );
  for (const node of snapshot.nodes) {
    if (!hasAllTopologyKeys(constraints, node)) continue;
    for (const { constraint, domains } of counted) {
      if (!isNodeIncluded(constraint, pod.pod, node)) continue;
      const value = node.labels[constraint.topologyKey] ?? "";
      domains.set(value, (domains.get(value) ?? 0) + countMatchingPods(node, constraint, pod.namespace));
    }
  }
  return filterOf(pod, counted);
}

function filterOf(pod: PodInfo, counted: readonly Counted[]): NodeFilter {
  const constraints = counted.map(({ constraint }) => constraint);
  const count = (changed: PodInfo, node: NodeInfo, by: 1 | -1) => {
    if (changed.namespace !== pod.namespace || !hasAllTopologyKeys(constraints, node)) return;
    for (const entry of counted) {
      const { constraint, domains } = entry;
      if (!matchesSelector(constraint.selector, changed.pod.metadata.labels)) continue;
      if (!isNodeIncluded(constraint, pod.pod, node)) continue;
      const value = node.labels[constraint.topologyKey] ?? "";
      domains.set(value, (domains.get(value) ?? 0) + by);
      entry.min = undefined;
    }
  };
  return {
    filter: (node) => {
      for (const entry of counted) {
        const value = node.labels[entry.constraint.topologyKey];
        if (value === undefined) return missingLabel;
        const skew = (entry.domains.get(value) ?? 0) + entry.selfMatch - minimum(entry);
        if (skew > entry.constraint.maxSkew) return skewed;
      }
      return undefined;
    },
    addPod: (added, node) => count(added, node, 1),
    removePod: (removed, node) => count(removed, node, -1),
    clone: () =>
      filterOf(
        pod,
        counted.map((entry) => ({ ...entry, domains: new Map(entry.domains) })),
      ),
  };
}

/** Returns how many matching pods the emptiest domain has. While there are fewer domains than wanted, one is taken to be empty. */
function minimum(entry: Counted): number {
  if (entry.domains.size < entry.constraint.minDomains) return 0;
  if (entry.min === undefined) {
    let min = Number.POSITIVE_INFINITY;
    for (const count of entry.domains.values()) min = Math.min(min, count);
    entry.min = min;
  }
  return entry.min;
}
