// The score of PodTopologySpread: nodes in emptier domains first. Domains of constraints with many values weigh more, by a logarithm, because their
// counts are smaller. A large maxSkew evens out differences.
import type { Cycle, NodeScorer } from "../framework/plugin.ts";
import { maxNodeScore } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import {
  countMatchingPods,
  type DefaultSpreading,
  defaultConstraints,
  hasAllTopologyKeys,
  hasOwnConstraints,
  hostnameLabel,
  isNodeIncluded,
  ownConstraints,
  type SpreadConstraint,
  systemSpreading,
} from "./spread-constraints.ts";

interface Weighted {
  readonly constraint: SpreadConstraint;
  /** The number of matching pods, by those topology values that feasible nodes have. Not for the hostname, whose pods are those of the node. */
  readonly domains: Map<string, number>;
  readonly weight: number;
}

export function newSpreadScorer(
  cycle: Cycle,
  nodes: readonly NodeInfo[],
  spreading: DefaultSpreading = systemSpreading,
): NodeScorer | undefined {
  const { pod, listers } = cycle;
  const isOwn = hasOwnConstraints(pod.pod);
  const constraints = isOwn
    ? ownConstraints(pod.pod, "ScheduleAnyway")
    : defaultConstraints(pod.pod, listers, spreading);
  if (constraints.length === 0) return undefined;
  // With the pod's own constraints, a node without all the keys is not compared. The system's defaults take nodes as they are.
  const needsAllKeys = isOwn || spreading.needsAllKeys;
  const isIgnored = (node: NodeInfo) => needsAllKeys && !hasAllTopologyKeys(constraints, node);
  const compared = nodes.filter((node) => !isIgnored(node));
  const weighted = constraints.map((constraint) => weigh(constraint, compared));
  countAllPods(cycle, weighted, isIgnored);
  return {
    score: (node) => (isIgnored(node) ? 0 : scoreOf(node, pod.namespace, weighted)),
    normalize: (scores, scored) => normalize(scores, scored, isIgnored),
  };
}

function weigh(constraint: SpreadConstraint, nodes: readonly NodeInfo[]): Weighted {
  const domains = new Map<string, number>();
  const isHostname = constraint.topologyKey === hostnameLabel;
  if (!isHostname) for (const { labels } of nodes) domains.set(labels[constraint.topologyKey] ?? "", 0);
  return { constraint, domains, weight: Math.log((isHostname ? nodes.length : domains.size) + 2) };
}

/** Counts over all nodes, not only the feasible ones, in the domains that the feasible ones have. */
function countAllPods(
  { pod, snapshot }: Cycle,
  weighted: readonly Weighted[],
  isIgnored: (node: NodeInfo) => boolean,
): void {
  if (weighted.every(({ domains }) => domains.size === 0)) return;
  for (const node of snapshot.nodes) {
    if (node.podCount === 0 || isIgnored(node)) continue;
    for (const { constraint, domains } of weighted) {
      const value = node.labels[constraint.topologyKey] ?? "";
      const count = domains.get(value);
      if (count === undefined || !isNodeIncluded(constraint, pod.pod, node)) continue;
      domains.set(value, count + countMatchingPods(node, constraint, pod.namespace));
    }
  }
}

function scoreOf(node: NodeInfo, namespace: string, weighted: readonly Weighted[]): number {
  let score = 0;
  for (const { constraint, domains, weight } of weighted) {
    const value = node.labels[constraint.topologyKey];
    if (value === undefined) continue;
    const count =
      constraint.topologyKey === hostnameLabel
        ? countMatchingPods(node, constraint, namespace)
        : (domains.get(value) ?? 0);
    score += count * weight + (constraint.maxSkew - 1);
  }
  // The sum is not negative, so that this rounds halves away from zero, as upstream does.
  return Math.round(score);
}

function normalize(scores: number[], nodes: readonly NodeInfo[], isIgnored: (node: NodeInfo) => boolean): void {
  const ignored = nodes.map(isIgnored);
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const [index, score] of scores.entries()) {
    if (ignored[index] === true) continue;
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  for (const [index, score] of scores.entries()) {
    if (ignored[index] === true) scores[index] = 0;
    else scores[index] = max === 0 ? maxNodeScore : Math.trunc((maxNodeScore * (max + min - score)) / max);
  }
}
