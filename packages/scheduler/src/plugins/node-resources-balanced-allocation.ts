// NodeResourcesBalancedAllocation: prefers nodes on which the pod brings the used shares of cpu and memory closer together. It counts what pods
// request, without the defaults that LeastAllocated assumes.
import { maxNodeScore, type Plugin } from "../framework/plugin.ts";

const half = maxNodeScore / 2;

export const nodeResourcesBalancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  preScore: ({ pod: { requests } }) => {
    if (requests.milliCpu === 0 && requests.memory === 0) return undefined;
    return {
      score: ({ allocatable, requestedMilliCpu, requestedMemory }) => {
        const { milliCpu, memory } = allocatable;
        // With fewer than two resources nothing can be out of balance, before or after.
        if (milliCpu === 0 || memory === 0) return half + Math.trunc(half / 2);
        const before = balance(requestedMilliCpu / milliCpu, requestedMemory / memory);
        const after = balance(
          (requestedMilliCpu + requests.milliCpu) / milliCpu,
          (requestedMemory + requests.memory) / memory,
        );
        return half + Math.trunc((half + after - before) / 2);
      },
    };
  },
};

/** Returns 100 for equal shares, down to 50 for shares that are as far apart as they can be. */
function balance(cpuShare: number, memoryShare: number): number {
  const deviation = Math.abs((Math.min(1, cpuShare) - Math.min(1, memoryShare)) / 2);
  return Math.trunc((1 - deviation) * maxNodeScore);
}
