// An informer of 20,000 pods of 4.7 KB and 100,000 updates against the least a program does with the same bytes (the whole
// answer, one parse, a Map; then line by line), on a server that pages, one that ignores `limit`, and one that streams.
import { execFileSync } from "node:child_process";
import { type Measurement, median } from "./budget.ts";
import type { InformerCost } from "./informer-run.ts";
import { serveDuring, siblingOf } from "./raw-floor.ts";

const roundCount = 3;
const manners = ["pages", "whole", "streams"] as const;
type Who = "floor" | "ours" | "transform" | "ten";

export async function measureInformer(): Promise<readonly Measurement[]> {
  return await serveDuring("informer-server.js", (address) => {
    const run = (who: Who, manner: string): InformerCost => {
      const args = [siblingOf("informer-run.js"), who, address, manner];
      return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as InformerCost;
    };
    return [
      ...manners.flatMap((manner) => budgets(rounds(run, "ours", manner), `on a server that ${mannerWords[manner]}`)),
      heapWithTransform(rounds(run, "transform", "whole")),
      watching(rounds(run, "ten", "whole"), "with ten handlers and three indexes", 0.85),
    ];
  });
}

const mannerWords = { pages: "pages", whole: "ignores limit", streams: "streams" } as const;

interface Round {
  readonly ours: InformerCost;
  readonly floor: InformerCost;
}

function rounds(run: (who: Who, manner: string) => InformerCost, who: Who, manner: string): readonly Round[] {
  return Array.from({ length: roundCount }, () => ({ floor: run("floor", manner), ours: run(who, manner) }));
}

function budgets(all: readonly Round[], where: string): readonly Measurement[] {
  return [
    ratio(all, "syncCpuMs", { what: `sync ${where}, processor time`, limit: 1.1, unit: "ms" }),
    ratio(all, "stallMs", { what: `sync ${where}, longest stall`, limit: 0.05, unit: "ms" }),
    ratio(all, "peakMb", { what: `sync ${where}, peak memory`, limit: 0.7, unit: "MB" }),
    ratio(all, "heapMb", { what: `cache ${where}, heap`, limit: 1.05, unit: "MB" }),
    watching(all, where, 0.95),
  ];
}

function heapWithTransform(all: readonly Round[]): Measurement {
  return ratio(all, "heapMb", { what: "cache with the built-in transform, heap", limit: 0.6, unit: "MB" });
}

function watching(all: readonly Round[], where: string, limit: number): Measurement {
  const { detail, measured } = ratio(all, "watchCpuMs", { what: "", limit, unit: "ms" });
  return { what: `updates ${where}, throughput`, measured: 1 / measured, limit, bound: "at least", unit: " ×", detail };
}

function ratio(
  all: readonly Round[],
  cost: keyof InformerCost,
  { what, limit, unit }: { readonly what: string; readonly limit: number; readonly unit: string },
): Measurement {
  const side = (who: "ours" | "floor") => median(all.map((round) => round[who][cost])).toFixed(1);
  return {
    what,
    measured: median(all.map(({ ours, floor }) => ours[cost] / floor[cost])),
    limit,
    bound: "at most",
    unit: " ×",
    detail: `${side("ours")} of ${side("floor")} ${unit}, median of ${all.length}`,
  };
}
