// What the runs of the informer benches measure of their own process, and what their handlers read of an update.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock } from "@kubeloop/core/base";

const neverAborted = new AbortController().signal;

/** What a handler reads of each update. */
export const reads: ReadonlyMap<string, (pod: { readonly metadata: object; readonly status?: object }) => unknown> =
  new Map([
    ["metadata", (pod) => pod.metadata],
    ["status", (pod) => pod.status],
    ["all", (pod) => Object.values(pod).map((field) => typeof field === "object" && Object.values(field as object))],
  ]);

export interface InformerMeter {
  /** What is held after the sync, and what the process needed at most. */
  heldAfterSync(): { readonly peakMb: number; readonly heapMb: number };
  /** The longest time since the meter was opened in which the event loop stood still. */
  longestStallMs(): Promise<number>;
}

/** Counts from now on. */
export async function openInformerMeter(): Promise<InformerMeter> {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  collectGarbage();
  const bareHeap = process.memoryUsage().heapUsed;
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  stalls.enable();
  await systemClock.sleep(30, neverAborted);
  stalls.reset();
  return {
    heldAfterSync() {
      const peakMb = process.resourceUsage().maxRSS / 1024;
      collectGarbage();
      return { peakMb, heapMb: (process.memoryUsage().heapUsed - bareHeap) / 2 ** 20 };
    },
    async longestStallMs() {
      // A stall is recorded by the first timer after it.
      await systemClock.sleep(5, neverAborted);
      return stalls.max / 1e6;
    },
  };
}

/** Processor time since `start`, of all threads of this process. */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
