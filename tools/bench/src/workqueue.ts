// The work queue against the least that deduplicates, a Set and an array, with the same keys: a thousand waiting at a time,
// and a million. And what a million delayed keys take, the keys themselves left out.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Measurement, median } from "./budget.ts";

const roundCount = 5;

export function measureWorkQueue(): readonly Measurement[] {
  return [throughput(1000), throughput(1_000_000), delayed()];
}

function throughput(size: number): Measurement {
  const rounds = Array.from({ length: roundCount }, () => ({ ours: cpuMs("ours", size), bare: cpuMs("bare", size) }));
  const middle = (side: "ours" | "bare") => median(rounds.map((round) => round[side])).toFixed(0);
  return {
    what: `queue with ${size} keys, add + take + done against a Set and an array`,
    measured: median(rounds.map(({ ours, bare }) => bare / ours)),
    limit: 0.3,
    bound: "at least",
    unit: " ×",
    detail: `${middle("ours")} against ${middle("bare")} ms of processor time for two million keys`,
  };
}

function delayed(): Measurement {
  const mb = median(Array.from({ length: 3 }, () => run<{ mb: number }>("delayed", 1_000_000).mb));
  return {
    what: "a million delayed keys",
    measured: mb,
    limit: 300,
    bound: "at most",
    unit: " MB",
    detail: "resident memory over the same process before",
  };
}

function cpuMs(reader: string, size: number): number {
  return run<{ cpuMs: number }>(reader, size).cpuMs;
}

function run<T>(reader: string, size: number): T {
  const script = fileURLToPath(new URL("workqueue-run.js", import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [script, reader, String(size)], { encoding: "utf8" })) as T;
}
