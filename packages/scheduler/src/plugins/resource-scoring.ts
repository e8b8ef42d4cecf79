// How NodeResourcesFit scores a node by its resources: the more of them is free (LeastAllocated), the more of them is used (MostAllocated), or by a function of
// the used share that is drawn through given points (RequestedToCapacityRatio). Each resource has a weight. An extended resource counts only for pods that
// request it. Numbers are integers, and divisions are truncated, as upstream's.
import { maxNodeScore } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import { isScalarResource, type Resources } from "../snapshot/resources.ts";

export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

export interface ScoringStrategy {
  readonly type: string;
  readonly resources: readonly WeightedResource[];
  readonly requestedToCapacityRatio?: {
    /** By rising utilization, in percent; scores are 0 to 10. */
    readonly shape?: readonly { readonly utilization: number; readonly score: number }[];
  };
}

/** The score of one resource. Undefined: it does not count. */
type ShareScore = (requested: number, allocatable: number) => number | undefined;

/** Returns the function that scores nodes for a pod. */
export function newResourceScore({
  type,
  resources,
  requestedToCapacityRatio,
}: ScoringStrategy): (pod: PodInfo, node: NodeInfo) => number {
  const isRatio = type === "RequestedToCapacityRatio";
  const shareScore = isRatio
    ? byShape(requestedToCapacityRatio?.shape ?? [])
    : type === "MostAllocated"
      ? usedShare
      : freeShare;
  return (pod, node) => {
    let sum = 0;
    let weights = 0;
    for (const { name, weight } of resources) {
      const amount = amountOf(name, pod, node);
      if (amount === undefined) continue;
      const score = shareScore(amount.requested, amount.allocatable);
      if (score === undefined) continue;
      sum += score * weight;
      weights += weight;
    }
    if (weights === 0) return 0;
    return isRatio ? Math.round(sum / weights) : Math.trunc(sum / weights);
  };
}

export function freeShare(requested: number, allocatable: number): number {
  return requested > allocatable ? 0 : Math.trunc(((allocatable - requested) * maxNodeScore) / allocatable);
}

function usedShare(requested: number, allocatable: number): number {
  return Math.trunc((Math.min(requested, allocatable) * maxNodeScore) / allocatable);
}

/** As upstream, a score of 0 is left out of the mean. */
function byShape(shape: readonly { readonly utilization: number; readonly score: number }[]): ShareScore {
  const points = shape.map(({ utilization = 0, score = 0 }) => ({ utilization, score: score * (maxNodeScore / 10) }));
  const at = (used: number): number => {
    let before: (typeof points)[number] | undefined;
    for (const point of points) {
      if (used <= point.utilization) {
        if (before === undefined) return point.score;
        const rise = (point.score - before.score) * (used - before.utilization);
        return before.score + Math.trunc(rise / (point.utilization - before.utilization));
      }
      before = point;
    }
    return before?.score ?? 0;
  };
  return (requested, allocatable) => {
    const score = at(requested > allocatable ? 100 : Math.trunc((requested * 100) / allocatable));
    return score > 0 ? score : undefined;
  };
}

/** What the node has of it, and what is requested with the pod. Undefined: it is left out. */
function amountOf(
  name: string,
  { requests, nonZero }: PodInfo,
  node: NodeInfo,
): { readonly requested: number; readonly allocatable: number } | undefined {
  const { allocatable } = node;
  const amount = (has: number, requested: number) => (has === 0 ? undefined : { allocatable: has, requested });
  if (name === "cpu") return amount(allocatable.milliCpu, node.nonZeroMilliCpu + nonZero.milliCpu);
  if (name === "memory") return amount(allocatable.memory, node.nonZeroMemory + nonZero.memory);
  const counted = countedAmount(name, requests, node);
  return counted === undefined ? undefined : amount(counted.allocatable, counted.before + counted.request);
}

/** The amounts of a resource without the defaults for pods that request nothing. Undefined: the pod does not request it. */
export function countedAmount(
  name: string,
  requests: Resources,
  node: NodeInfo,
): { readonly request: number; readonly before: number; readonly allocatable: number } | undefined {
  const { allocatable } = node;
  switch (name) {
    case "cpu":
      return { request: requests.milliCpu, before: node.requestedMilliCpu, allocatable: allocatable.milliCpu };
    case "memory":
      return { request: requests.memory, before: node.requestedMemory, allocatable: allocatable.memory };
    case "ephemeral-storage": {
      const before = node.requestedEphemeralStorage;
      return { request: requests.ephemeralStorage, before, allocatable: allocatable.ephemeralStorage };
    }
    default: {
      const request = requests.scalar.get(name) ?? 0;
      if (request === 0 && isScalarResource(name)) return undefined;
      return { request, before: node.requestedScalar(name), allocatable: allocatable.scalar.get(name) ?? 0 };
    }
  }
}
