// NodeResourcesFit: what the pod requests must be free on the node, and one more pod allowed. Several resources may be short at once; each is
// a reason. The score is LeastAllocated, unless the profile says otherwise: the mean of the free shares of cpu and memory after the pod.
import type { Plugin, Refusal } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import type { Resources } from "../snapshot/resources.ts";
import { freeShare, newResourceScore, type ScoringStrategy } from "./resource-scoring.ts";

const name = "NodeResourcesFit";

/** Upstream's NodeResourcesFitArgs. */
export interface FitArguments {
  /** Extended resources that other schedulers look at. */
  readonly ignoredResources?: readonly string[];
  /** The part of their names before the slash. */
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy?: ScoringStrategy;
}

export function newNodeResourcesFit(options: FitArguments = {}): Plugin {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = options;
  const isIgnored = (resource: string) => {
    const [group = ""] = resource.split("/");
    return ignoredResources.includes(resource) || ignoredResourceGroups.includes(group);
  };
  const hasIgnored = ignoredResources.length + ignoredResourceGroups.length > 0;
  const score = scoringStrategy === undefined ? leastAllocated : newResourceScore(scoringStrategy);
  return {
    name,
    preFilter: ({ pod: { requests } }) => {
      const scalar = hasIgnored ? new Map([...requests.scalar].filter(([key]) => !isIgnored(key))) : requests.scalar;
      const counted = { ...requests, scalar };
      return { filter: { filter: (node) => findShortage(counted, node) } };
    },
    preScore: ({ pod }) => ({ score: (node) => score(pod, node) }),
  };
}

/** The default strategy, written out because it runs for every pod on every node: the mean of the free shares of cpu and memory. */
function leastAllocated({ nonZero }: PodInfo, node: NodeInfo): number {
  const { allocatableMilliCpu: milliCpu, allocatableMemory: memory } = node;
  let sum = 0;
  let resources = 0;
  if (milliCpu !== 0) {
    sum += freeShare(node.nonZeroMilliCpu + nonZero.milliCpu, milliCpu);
    resources++;
  }
  if (memory !== 0) {
    sum += freeShare(node.nonZeroMemory + nonZero.memory, memory);
    resources++;
  }
  return resources === 0 ? 0 : Math.trunc(sum / resources);
}

export const nodeResourcesFit: Plugin = newNodeResourcesFit();

/** Whether a resource is short, and whether it would be so on the empty node, too. */
type Shortage = "none" | "now" | "always";

/** Returns why the node cannot take these requests. A request of zero is never short, however full the node is. */
export function findShortage(requests: Resources, node: NodeInfo): Refusal | undefined {
  // Nearly every node has enough: then nothing more is looked at.
  if (requests.scalar.size === 0 && node.hasRoom(requests.milliCpu, requests.memory, requests.ephemeralStorage)) {
    return undefined;
  }
  const { allocatable } = node;
  const isFull = node.podCount >= allocatable.pods;
  const cpu = shortageOf(requests.milliCpu, allocatable.milliCpu, node.requestedMilliCpu);
  const memory = shortageOf(requests.memory, allocatable.memory, node.requestedMemory);
  const storage = shortageOf(requests.ephemeralStorage, allocatable.ephemeralStorage, node.requestedEphemeralStorage);
  const reasons: string[] = [];
  if (isFull) reasons.push("Too many pods");
  if (cpu !== "none") reasons.push("Insufficient cpu");
  if (memory !== "none") reasons.push("Insufficient memory");
  if (storage !== "none") reasons.push("Insufficient ephemeral-storage");
  let isUnresolvable = cpu === "always" || memory === "always" || storage === "always";
  for (const [resource, amount] of requests.scalar) {
    const shortage = shortageOf(amount, allocatable.scalar.get(resource) ?? 0, node.requestedScalar(resource));
    if (shortage === "none") continue;
    reasons.push(`Insufficient ${resource}`);
    if (shortage === "always") isUnresolvable = true;
  }
  if (reasons.length === 0) return undefined;
  return { code: isUnresolvable ? "UnschedulableAndUnresolvable" : "Unschedulable", plugin: name, reasons };
}

function shortageOf(request: number, allocatable: number, requested: number): Shortage {
  if (request === 0 || request <= allocatable - requested) return "none";
  return request > allocatable ? "always" : "now";
}
