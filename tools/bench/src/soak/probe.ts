// Loaded into the process of `kubeloop up` before it begins (`node --import`): answers each message of its parent with the memory that is in use
// after a garbage collection, and with how long the event loop was held up since the last question.
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Probed {
  readonly rssMb: number;
  /** What is reachable: the heap and the buffers outside of it, after a collection. */
  readonly liveMb: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

const mib = 2 ** 20;
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
// Nobody waits for a process because it could still be asked.
process.channel?.unref();
process.on("message", () => {
  const [delayP99Ms, delayMaxMs] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  const { rss } = process.memoryUsage();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const probed: Probed = { rssMb: rss / mib, liveMb: (heapUsed + external) / mib, delayP99Ms, delayMaxMs };
  // The collection is not the server's doing.
  delay.reset();
  process.send?.(probed);
});
