// Reading 40,000 events of 4.8 KB from a watch, against the raw floor (raw-floor.ts). Throughput is events per second of
// processor time: the wall clock tells what else the machine did.
import type { Measurement } from "./budget.ts";
import { medianRatio, printSides, runInTurns } from "./raw-floor.ts";

const roundCount = 7;

export async function measureWatchDecoding(): Promise<readonly Measurement[]> {
  const rounds = await runInTurns("watch-decoding-run.js", "/watch", roundCount);
  return [
    {
      what: `watch of ${rounds[0]?.ours.count} events, throughput against the raw floor`,
      measured: 1 / medianRatio(rounds, "cpuMs"),
      limit: 0.95,
      bound: "at least",
      unit: " ×",
      detail: `${printSides(rounds, "cpuMs", "ms of processor time")}; ${printSides(rounds, "wallMs", "ms of wall time")}`,
    },
  ];
}
