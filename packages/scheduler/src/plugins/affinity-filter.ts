// The filter of InterPodAffinity. Three counts over all pods that are there, by topology: those whose required anti-affinity is against the incoming
// pod, those that match all of its required affinity terms, and those that match one of its required anti-affinity terms.
//
// If nothing in the cluster matches the pod's affinity terms, and the pod itself does, it may be the first of its kind.
import type { Cycle, NodeFilter, Refusal } from "../framework/plugin.ts";
import { type AffinityTerm, matchesAllTerms, matchesTerm } from "../snapshot/affinity-term.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import { TopologyCounts } from "./topology-counts.ts";

const plugin = "InterPodAffinity";
const affinityUnmet: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin,
  reasons: ["node(s) didn't match pod affinity rules"],
};
const antiAffinityUnmet: Refusal = {
  code: "Unschedulable",
  plugin,
  reasons: ["node(s) didn't match pod anti-affinity rules"],
};
const existingAntiAffinityUnmet: Refusal = {
  code: "Unschedulable",
  plugin,
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
};

interface Incoming {
  readonly pod: PodInfo;
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
}

interface Counts {
  readonly existingAnti: TopologyCounts;
  readonly affinity: TopologyCounts;
  readonly anti: TopologyCounts;
}

export function newAffinityFilter(
  { pod, snapshot, listers }: Cycle,
  resolve: (term: AffinityTerm) => AffinityTerm,
): NodeFilter | undefined {
  const incoming: Incoming = {
    pod,
    namespaceLabels: listers.namespace(pod.namespace)?.metadata.labels,
    affinity: pod.requiredAffinity.map(resolve),
    antiAffinity: pod.requiredAntiAffinity.map(resolve),
  };
  const counts = { existingAnti: new TopologyCounts(), affinity: new TopologyCounts(), anti: new TopologyCounts() };
  for (const node of snapshot.nodesWithRequiredAntiAffinity) {
    for (const existing of node.podsWithRequiredAntiAffinity) countExistingAnti(incoming, counts, existing, node, 1);
  }
  const hasTerms = incoming.affinity.length > 0 || incoming.antiAffinity.length > 0;
  if (hasTerms) {
    for (const node of snapshot.nodes) {
      for (const existing of node.pods) countIncoming(incoming, counts, existing, node, 1);
    }
  } else if (counts.existingAnti.isEmpty) return undefined;
  return filterOf(incoming, counts);
}

function countExistingAnti(
  { pod, namespaceLabels }: Incoming,
  { existingAnti }: Counts,
  existing: PodInfo,
  node: NodeInfo,
  by: 1 | -1,
): void {
  for (const term of existing.requiredAntiAffinity) {
    if (matchesTerm(term, pod.pod, namespaceLabels)) existingAnti.add(term.topologyKey, node, by);
  }
}

function countIncoming(
  { affinity, antiAffinity }: Incoming,
  counts: Counts,
  existing: PodInfo,
  node: NodeInfo,
  by: 1 | -1,
): void {
  if (matchesAllTerms(affinity, existing.pod)) {
    for (const { topologyKey } of affinity) counts.affinity.add(topologyKey, node, by);
  }
  for (const term of antiAffinity) {
    if (matchesTerm(term, existing.pod, undefined)) counts.anti.add(term.topologyKey, node, by);
  }
}

function filterOf(incoming: Incoming, counts: Counts): NodeFilter {
  const count = (changed: PodInfo, node: NodeInfo, by: 1 | -1) => {
    countExistingAnti(incoming, counts, changed, node, by);
    countIncoming(incoming, counts, changed, node, by);
  };
  return {
    filter: (node) => {
      if (!isAffinityMet(incoming, counts, node)) return affinityUnmet;
      if (!isAntiAffinityMet(incoming, counts, node)) return antiAffinityUnmet;
      return counts.existingAnti.hasPositive(node) ? existingAntiAffinityUnmet : undefined;
    },
    addPod: (added, node) => count(added, node, 1),
    removePod: (removed, node) => count(removed, node, -1),
    clone: () =>
      filterOf(incoming, {
        existingAnti: counts.existingAnti.clone(),
        affinity: counts.affinity.clone(),
        anti: counts.anti.clone(),
      }),
  };
}

/** A node without one of the keys is in no domain, so that nothing can be near there. */
function isAffinityMet(incoming: Incoming, { affinity }: Counts, { labels }: NodeInfo): boolean {
  let isMet = true;
  for (const { topologyKey } of incoming.affinity) {
    const value = labels[topologyKey];
    if (value === undefined) return false;
    if (affinity.get(topologyKey, value) <= 0) isMet = false;
  }
  return isMet || (affinity.isEmpty && matchesAllTerms(incoming.affinity, incoming.pod.pod));
}

function isAntiAffinityMet({ antiAffinity }: Incoming, { anti }: Counts, { labels }: NodeInfo): boolean {
  return antiAffinity.every(({ topologyKey }) => {
    const value = labels[topologyKey];
    return value === undefined || anti.get(topologyKey, value) <= 0;
  });
}
