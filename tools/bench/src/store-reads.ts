// The cache against the least that could answer: getByKey against a bare Map, byIndex (a hundred objects) against walking an
// array that was prepared, at three sizes; and the heap it takes against a bare Map of the same pods.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Measurement, median } from "./budget.ts";
import type { ReadRound } from "./store-run.ts";

const podCount = 20_000;

export function measureStore(): readonly Measurement[] {
  const sizes = [1000, 100_000, 1_000_000];
  return [
    ...sizes.map((size) => reads("getByKey", size, { limit: 0.7, floor: "a bare Map" })),
    ...sizes.map((size) => reads("byIndex", size, { limit: 0.5, floor: "walking a prepared array of 100" })),
    ...heap(),
  ];
}

function reads(what: string, size: number, { limit, floor }: { limit: number; floor: string }): Measurement {
  const rounds = run<readonly ReadRound[]>(what, size);
  const middle = (side: keyof ReadRound) => median(rounds.map((round) => round[side])).toFixed(0);
  return {
    what: `${what} among ${size} objects against ${floor}`,
    measured: median(rounds.map(({ oursNs, floorNs }) => floorNs / oursNs)),
    limit,
    bound: "at least",
    unit: " ×",
    detail: `${middle("oursNs")} against ${middle("floorNs")} ns, median of ${rounds.length}`,
  };
}

function heap(): readonly Measurement[] {
  const [map, store, transform] = ["map", "store", "transform"].map((what) =>
    run<{ bytes: number; cpuMs: number }>(what, podCount),
  );
  if (map === undefined || store === undefined || transform === undefined) return [];
  const against = (what: string, held: typeof map, limit: number): Measurement => ({
    what,
    measured: held.bytes / map.bytes,
    limit,
    bound: "at most",
    unit: " ×",
    detail: `${megabytes(held.bytes)} against ${megabytes(map.bytes)} MB; ${held.cpuMs.toFixed(0)} against ${map.cpuMs.toFixed(0)} ms of processor time to parse and keep`,
  });
  return [
    against(`heap of ${podCount} pods in the store, indexed by namespace, against a bare Map`, store, 1.05),
    against(`the same with managedFields stripped and strings shared`, transform, 0.6),
  ];
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function run<T>(what: string, size: number): T {
  const script = fileURLToPath(new URL("store-run.js", import.meta.url));
  const output = execFileSync(process.execPath, ["--expose-gc", script, what, String(size)], { encoding: "utf8" });
  return JSON.parse(output) as T;
}
