// Reading 20,000 pods (95 MB) that arrive as one list, against the raw floor (raw-floor.ts): how long the event loop stands
// still, how much memory it takes at most, and how much processor time. Both keep all items.
import type { Measurement } from "./budget.ts";
import { medianRatio, printSides, runInTurns } from "./raw-floor.ts";

const roundCount = 7;

export async function measureListDecoding(): Promise<readonly Measurement[]> {
  const rounds = await runInTurns("list-decoding-run.js", "/list", roundCount);
  const measure = (what: string, cost: "stallMs" | "peakMb" | "cpuMs", limit: number): Measurement => ({
    what: `list of ${rounds[0]?.ours.count} pods, ${what}`,
    measured: medianRatio(rounds, cost),
    limit,
    bound: "at most",
    unit: " ×",
    detail: printSides(rounds, cost, cost === "peakMb" ? "MB" : "ms"),
  });
  return [
    measure("longest stall of the event loop against one JSON.parse of it all", "stallMs", 0.04),
    measure("peak memory against the raw floor", "peakMb", 0.6),
    measure("processor time against the raw floor", "cpuMs", 1.1),
  ];
}
