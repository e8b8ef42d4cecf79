// NodeResourcesFit: what the pod requests must be free on the node, and one more pod allowed. Several resources may be short at once; each is
// a reason. The score is LeastAllocated: the mean of the free shares of cpu and memory after the pod.
import { maxNodeScore, type Plugin, type Refusal } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { Resources } from "../snapshot/resources.ts";

const name = "NodeResourcesFit";

export const nodeResourcesFit: Plugin = {
  name,
  preFilter: ({ pod: { requests } }) => ({ filter: { filter: (node) => findShortage(requests, node) } }),
  preScore: ({ pod: { nonZero } }) => ({
    score: (node) => {
      const { milliCpu, memory } = node.allocatable;
      let sum = 0;
      let resources = 0;
      if (milliCpu !== 0) {
        sum += freeShare(milliCpu, node.nonZeroMilliCpu + nonZero.milliCpu);
        resources++;
      }
      if (memory !== 0) {
        sum += freeShare(memory, node.nonZeroMemory + nonZero.memory);
        resources++;
      }
      return resources === 0 ? 0 : Math.trunc(sum / resources);
    },
  }),
};

function freeShare(allocatable: number, requested: number): number {
  return requested > allocatable ? 0 : Math.trunc(((allocatable - requested) * maxNodeScore) / allocatable);
}

/** Whether a resource is short, and whether it would be so on the empty node, too. */
type Shortage = "none" | "now" | "always";

/** Returns why the node cannot take these requests. A request of zero is never short, however full the node is. */
export function findShortage(requests: Resources, node: NodeInfo): Refusal | undefined {
  const { allocatable } = node;
  const cpu = shortageOf(requests.milliCpu, allocatable.milliCpu, node.requestedMilliCpu);
  const memory = shortageOf(requests.memory, allocatable.memory, node.requestedMemory);
  const storage = shortageOf(requests.ephemeralStorage, allocatable.ephemeralStorage, node.requestedEphemeralStorage);
  const isFull = node.podCount + 1 > allocatable.pods;
  // Nearly every node has enough, so that nothing is allocated before something is known to be short.
  if (cpu === "none" && memory === "none" && storage === "none" && !isFull && requests.scalar.size === 0) {
    return undefined;
  }
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
