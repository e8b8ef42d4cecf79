// NodeResourcesBalancedAllocation: prefers nodes on which the pod brings the used shares of its resources, by default cpu and memory, closer together. It counts what pods
// request, without the defaults that LeastAllocated assumes.
import { maxNodeScore, type Plugin } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { Resources } from "../snapshot/resources.ts";
import { countedAmount } from "./resource-scoring.ts";

const half = maxNodeScore / 2;

/** Upstream's NodeResourcesBalancedAllocationArgs. */
export interface BalancedAllocationArguments {
  readonly resources: readonly { readonly name: string }[];
}

export function newNodeResourcesBalancedAllocation(options?: BalancedAllocationArguments): Plugin {
  const names = options?.resources.map((each) => each.name) ?? ["cpu", "memory"];
  const isDefault = names.join() === "cpu,memory";
  return {
    name: "NodeResourcesBalancedAllocation",
    preScore: ({ pod: { requests } }) => {
      if (names.every((name) => requestOf(name, requests) === 0)) return undefined;
      return {
        score: (node) => (isDefault ? scoreCpuAndMemory(requests, node) : scoreResources(names, requests, node)),
      };
    },
  };
}

export const nodeResourcesBalancedAllocation: Plugin = newNodeResourcesBalancedAllocation();

function requestOf(name: string, requests: Resources): number {
  if (name === "cpu") return requests.milliCpu;
  if (name === "memory") return requests.memory;
  return name === "ephemeral-storage" ? requests.ephemeralStorage : (requests.scalar.get(name) ?? 0);
}

/** The default, written out because it runs for every pod on every node. */
function scoreCpuAndMemory(requests: Resources, node: NodeInfo): number {
  const { allocatableMilliCpu: milliCpu, allocatableMemory: memory } = node;
  // With fewer than two resources nothing can be out of balance, before or after.
  if (milliCpu === 0 || memory === 0) return half + Math.trunc(half / 2);
  const before = balanceOfTwo(node.requestedMilliCpu / milliCpu, node.requestedMemory / memory);
  const after = balanceOfTwo(
    (node.requestedMilliCpu + requests.milliCpu) / milliCpu,
    (node.requestedMemory + requests.memory) / memory,
  );
  return half + Math.trunc((half + after - before) / 2);
}

function scoreResources(names: readonly string[], requests: Resources, node: NodeInfo): number {
  const before: number[] = [];
  const after: number[] = [];
  for (const name of names) {
    const amount = countedAmount(name, requests, node);
    if (amount === undefined || amount.allocatable === 0) continue;
    before.push(amount.before / amount.allocatable);
    after.push((amount.before + amount.request) / amount.allocatable);
  }
  return half + Math.trunc((half + balanceOf(after) - balanceOf(before)) / 2);
}

/** Returns 100 for equal shares, down to 50 for shares that are as far apart as they can be. */
function balanceOfTwo(first: number, second: number): number {
  const deviation = Math.abs((Math.min(1, first) - Math.min(1, second)) / 2);
  return Math.trunc((1 - deviation) * maxNodeScore);
}

/** Of more than two shares, the standard deviation counts. */
function balanceOf(shares: readonly number[]): number {
  const [first = 0, second = 0] = shares;
  if (shares.length < 2) return maxNodeScore;
  if (shares.length === 2) return balanceOfTwo(first, second);
  const limited = shares.map((share) => Math.min(1, share));
  let total = 0;
  for (const share of limited) total += share;
  const mean = total / limited.length;
  let sum = 0;
  for (const share of limited) sum += (share - mean) * (share - mean);
  return Math.trunc((1 - Math.sqrt(sum / limited.length)) * maxNodeScore);
}
