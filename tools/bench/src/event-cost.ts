// What a change of a pod's readiness costs server and controllers together, with 1,000 pods in the caches and with 50,000: in other namespaces,
// and beside it in the same one. A Deployment, a Service and a disruption budget depend on the pods that change; nothing on the others.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Measurement, median } from "./budget.ts";
import type { EventCost, Place } from "./event-cost-run.ts";

const roundCount = 3;
const few = 1_000;
const many = 50_000;

export function measureEventCost(): readonly Measurement[] {
  return [
    compare("elsewhere", "in other namespaces"),
    compare("beside", "in the same namespace, which nothing selects"),
  ];
}

function compare(place: Place, where: string): Measurement {
  const rounds = Array.from({ length: roundCount }, () => ({ few: run(few, place), many: run(many, place) }));
  const middle = (side: "few" | "many") => median(rounds.map((round) => round[side])).toFixed(0);
  return {
    what: `a pod's change of readiness with ${many} pods ${where}, against ${few}`,
    measured: median(rounds.map((round) => round.many / round.few)),
    limit: 1.3,
    bound: "at most",
    unit: " ×",
    detail: `${middle("many")} against ${middle("few")} µs of processor time for a change, server and all controllers`,
  };
}

function run(count: number, place: Place): number {
  const program = fileURLToPath(new URL("./event-cost-run.js", import.meta.url));
  const printed = execFileSync(process.execPath, [program, String(count), place], { encoding: "utf8" });
  return (JSON.parse(printed.trim().split("\n").at(-1) ?? "") as EventCost).microseconds;
}
