// An informer of 20,000 pods of 4.7 KB and 100,000 updates against the least a program does with the same bytes (the whole
// answer, one parse, a Map; then line by line), on a server that pages, one that ignores `limit`, one that streams, and one that sends protobuf.
import { execFileSync } from "node:child_process";
import { type Measurement, median } from "./budget.ts";
import type { InformerCost } from "./informer-run.ts";
import { serveDuring, siblingOf } from "./raw-floor.ts";

const roundCount = 5;

/** Who runs: the floor, an informer on each manner of server, one with the built-in transform, one with much to tell. */
const runs = {
  floor: ["floor", "whole"],
  pages: ["ours", "pages"],
  whole: ["ours", "whole"],
  streams: ["ours", "streams"],
  transform: ["transform", "whole"],
  ten: ["ten", "whole"],
  protobuf: ["metadata", "protobuf"],
  protobufStatus: ["status", "protobuf"],
  protobufAll: ["all", "protobuf"],
} as const satisfies Readonly<Record<string, readonly [who: string, manner: string]>>;

type Round = Readonly<Record<keyof typeof runs, InformerCost>>;
type Subject = Exclude<keyof typeof runs, "floor">;

export async function measureInformer(): Promise<readonly Measurement[]> {
  const rounds = await serveDuring("informer-server.js", (address) =>
    Array.from({ length: roundCount }, () => oneRound(address)),
  );
  return [
    ...budgets(rounds, "pages", "on a server that pages"),
    ...budgets(rounds, "whole", "on a server that ignores limit"),
    ...budgets(rounds, "streams", "on a server that streams"),
    ratio(rounds, "transform", "heapMb", { what: "cache with the built-in transform, heap", limit: 0.6, unit: "MB" }),
    watching(rounds, "ten", "with ten handlers and three indexes", 0.85),
    ...protobufBudgets(rounds),
  ];
}

/** All of them one after the other, each in a process of its own: what else the machine does weighs on all. */
function oneRound(address: string): Round {
  const costs = Object.entries(runs).map(([name, [who, manner]]) => {
    const args = [siblingOf("informer-run.js"), who, address, manner];
    return [name, JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as InformerCost];
  });
  return Object.fromEntries(costs) as Round;
}

function budgets(rounds: readonly Round[], subject: Subject, where: string): readonly Measurement[] {
  return [
    ratio(rounds, subject, "syncCpuMs", { what: `sync ${where}, processor time`, limit: 1.1, unit: "ms" }),
    ratio(rounds, subject, "stallMs", { what: `sync ${where}, longest stall`, limit: 0.05, unit: "ms" }),
    ratio(rounds, subject, "peakMb", { what: `sync ${where}, peak memory`, limit: 0.7, unit: "MB" }),
    ratio(rounds, subject, "heapMb", { what: `cache ${where}, heap`, limit: 1.05, unit: "MB" }),
    watching(rounds, subject, where, 0.95),
  ];
}

/** What a cache of bytes is for (ADR 14). */
function protobufBudgets(rounds: readonly Round[]): readonly Measurement[] {
  return [
    ratio(rounds, "protobuf", "syncCpuMs", { what: "sync in protobuf, processor time", limit: 0.3, unit: "ms" }),
    ratio(rounds, "protobuf", "stallMs", { what: "sync in protobuf, longest stall", limit: 0.01, unit: "ms" }),
    ratio(rounds, "protobuf", "peakMb", { what: "sync in protobuf, peak memory", limit: 0.4, unit: "MB" }),
    ratio(rounds, "protobuf", "heapMb", { what: "cache in protobuf, heap", limit: 0.4, unit: "MB" }),
    watching(rounds, "protobuf", "in protobuf, handlers read metadata", 3),
    watching(rounds, "protobufStatus", "in protobuf, handlers read status", 1.5),
    watching(rounds, "protobufAll", "in protobuf, handlers read all", 0.9),
  ];
}

function watching(rounds: readonly Round[], subject: Subject, where: string, limit: number): Measurement {
  const { detail, measured } = ratio(rounds, subject, "watchCpuMs", { what: "", limit, unit: "ms" });
  return { what: `updates ${where}, throughput`, measured: 1 / measured, limit, bound: "at least", unit: " ×", detail };
}

function ratio(
  rounds: readonly Round[],
  subject: Subject,
  cost: keyof InformerCost,
  { what, limit, unit }: { readonly what: string; readonly limit: number; readonly unit: string },
): Measurement {
  const side = (who: keyof Round) => median(rounds.map((round) => round[who][cost])).toFixed(1);
  return {
    what,
    measured: median(rounds.map((round) => round[subject][cost] / round.floor[cost])),
    limit,
    bound: "at most",
    unit: " ×",
    detail: `${side(subject)} of ${side("floor")} ${unit}, median of ${rounds.length}`,
  };
}
