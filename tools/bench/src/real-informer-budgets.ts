// What is allowed on a real kube-apiserver (docs/adr/0014), out of what each subject took there.
import type { Measurement } from "./budget.ts";

export type RealSubject = "floor" | "metadata" | "status" | "all" | "client-go";

export interface RealCost {
  readonly syncCpuMs: number;
  readonly stallMs?: number;
  readonly peakMb: number;
  readonly heapMb: number;
  readonly watchCpuMs: number;
}

export type RealCosts = ReadonlyMap<RealSubject, RealCost>;

const server = "on a real server";

/** Without client-go, where it was not measured. */
export function realBudgets(costs: RealCosts): readonly Measurement[] {
  const synced = (cost: keyof RealCost, what: string, limit: number, unit: string) =>
    atMost(costs, { subject: "metadata", peer: "floor", cost, what, limit, unit });
  return [
    synced("syncCpuMs", `sync ${server}, processor time`, 0.3, "ms"),
    ...(costs.has("client-go")
      ? [
          atMost(costs, {
            subject: "metadata",
            peer: "client-go",
            cost: "syncCpuMs",
            what: `sync ${server}, processor time against client-go`,
            limit: 0.9,
            unit: "ms",
          }),
        ]
      : []),
    synced("stallMs", `sync ${server}, longest stall`, 0.01, "ms"),
    synced("peakMb", `sync ${server}, peak memory`, 0.4, "MB"),
    synced("heapMb", `cache ${server}, heap`, 0.4, "MB"),
    throughput(costs, "metadata", 3),
    throughput(costs, "status", 1.5),
    throughput(costs, "all", 0.9),
  ];
}

interface Comparison {
  readonly subject: RealSubject;
  readonly peer: RealSubject;
  readonly cost: keyof RealCost;
  readonly what: string;
  readonly limit: number;
  readonly unit: string;
}

function atMost(costs: RealCosts, { subject, peer, cost, what, limit, unit }: Comparison): Measurement {
  const [ours, theirs] = [costOf(costs, subject, cost), costOf(costs, peer, cost)];
  const detail = `${ours.toFixed(1)} of ${theirs.toFixed(1)} ${unit}${besideClientGo(costs, cost, unit)}`;
  return { what, measured: ours / theirs, limit, bound: "at most", unit: " ×", detail };
}

/** Updates for each second of processor time. */
function throughput(costs: RealCosts, subject: "metadata" | "status" | "all", limit: number): Measurement {
  const what = `updates ${server}, handlers read ${subject}, throughput`;
  const { measured, detail } = atMost(costs, { subject, peer: "floor", cost: "watchCpuMs", what, limit, unit: "ms" });
  return { what, measured: 1 / measured, limit, bound: "at least", unit: " ×", detail };
}

function besideClientGo(costs: RealCosts, cost: keyof RealCost, unit: string): string {
  const theirs = costs.get("client-go")?.[cost];
  return theirs === undefined ? "" : `; client-go ${theirs.toFixed(1)} ${unit}`;
}

function costOf(costs: RealCosts, subject: RealSubject, cost: keyof RealCost): number {
  return costs.get(subject)?.[cost] ?? Number.NaN;
}
