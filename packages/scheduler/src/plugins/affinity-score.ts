// The score of InterPodAffinity: a node's domains are worth the weights of the preferred terms that pods there match, and of the terms of those pods
// that the incoming pod matches. Anti-affinity counts negative; a required affinity term of an existing pod counts with a weight of its own.
import type { Cycle, NodeScorer } from "../framework/plugin.ts";
import { maxNodeScore } from "../framework/plugin.ts";
import { matchesTerm, type WeightedAffinityTerm } from "../snapshot/affinity-term.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import { TopologyCounts } from "./topology-counts.ts";

export function newAffinityScorer(
  { pod, snapshot, listers }: Cycle,
  resolve: (term: WeightedAffinityTerm) => WeightedAffinityTerm,
  {
    hardPodAffinityWeight,
    ignorePreferredTermsOfExistingPods: isIgnoring,
  }: { readonly hardPodAffinityWeight: number; readonly ignorePreferredTermsOfExistingPods: boolean },
): NodeScorer | undefined {
  const affinity = pod.preferredAffinity.map(resolve);
  const antiAffinity = pod.preferredAntiAffinity.map(resolve);
  const hasPreferences = affinity.length > 0 || antiAffinity.length > 0;
  if (isIgnoring && !hasPreferences) return undefined;
  const namespaceLabels = listers.namespace(pod.namespace)?.metadata.labels;
  const scores = new TopologyCounts();
  const add = (key: string, node: NodeInfo, by: number) => scores.add(key, node, by, { keepZero: true });

  const countExisting = (existing: PodInfo, node: NodeInfo) => {
    for (const term of affinity) {
      if (matchesTerm(term, existing.pod, undefined)) add(term.topologyKey, node, term.weight);
    }
    for (const term of antiAffinity) {
      if (matchesTerm(term, existing.pod, undefined)) add(term.topologyKey, node, -term.weight);
    }
    if (hardPodAffinityWeight > 0)
      for (const term of existing.requiredAffinity) {
        if (matchesTerm(term, pod.pod, namespaceLabels)) add(term.topologyKey, node, hardPodAffinityWeight);
      }
    for (const term of existing.preferredAffinity) {
      if (matchesTerm(term, pod.pod, namespaceLabels)) add(term.topologyKey, node, term.weight);
    }
    for (const term of existing.preferredAntiAffinity) {
      if (matchesTerm(term, pod.pod, namespaceLabels)) add(term.topologyKey, node, -term.weight);
    }
  };

  // Without preferences of its own, the pod is only concerned by pods that have some.
  if (hasPreferences) {
    for (const node of snapshot.nodes) for (const existing of node.pods) countExisting(existing, node);
  } else {
    for (const node of snapshot.nodesWithAffinity) {
      for (const existing of node.podsWithAffinity) countExisting(existing, node);
    }
  }
  if (scores.isEmpty) return undefined;
  return { score: (node) => scores.sumOf(node), normalize };
}

/** Between the smallest and the largest; all 0 if they are equal. In floating point, as upstream. */
function normalize(scores: number[]): void {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  for (const [index, score] of scores.entries()) {
    scores[index] = max > min ? Math.trunc(maxNodeScore * ((score - min) / (max - min))) : 0;
  }
}
