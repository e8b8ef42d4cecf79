// The controller driver against a hand-written worker loop on the same queue and cache, in processor time of one run: a decision that does
// nothing, one that writes through the embedded server, a procedure; what each further controller adds to an event; a report over five
// thousand actions.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Measurement, median } from "./budget.ts";

const roundCount = 5;

export function measureDriver(): readonly Measurement[] {
  return [
    against("a decision that does nothing", { mode: "idle", variant: "rules", limit: 3 }),
    against("a procedure that does nothing", { mode: "idle", variant: "procedure", limit: 4 }),
    against("a decision that writes through the embedded server", { mode: "write", variant: "rules", limit: 1.5 }),
    furtherController(),
    report(),
  ];
}

function against(
  what: string,
  { mode, variant, limit }: { readonly mode: string; readonly variant: string; readonly limit: number },
): Measurement {
  const rounds = Array.from({ length: roundCount }, () => ({
    ours: run<{ microseconds: number }>(mode, variant).microseconds,
    bare: run<{ microseconds: number }>(mode, "bare").microseconds,
  }));
  const middle = (side: "ours" | "bare") => median(rounds.map((round) => round[side])).toFixed(2);
  return {
    what: `${what}, against a bare workqueue loop`,
    measured: median(rounds.map(({ ours, bare }) => ours / bare)),
    limit,
    bound: "at most",
    unit: " ×",
    detail: `${middle("ours")} against ${middle("bare")} µs of processor time for a key`,
  };
}

function furtherController(): Measurement {
  const perEvent = (controllers: number) => run<{ microseconds: number }>("events", String(controllers)).microseconds;
  const rounds = Array.from({ length: roundCount }, () => ({ one: perEvent(1), many: perEvent(51) }));
  const middle = (side: "one" | "many") => median(rounds.map((round) => round[side])).toFixed(1);
  return {
    what: "an event, for each further controller that receives it",
    measured: median(rounds.map(({ one, many }) => (many - one) / 50)),
    limit: 2,
    bound: "at most",
    unit: " µs",
    detail: `${middle("many")} with 51 controllers, ${middle("one")} µs with one, the write included`,
  };
}

function report(): Measurement {
  return {
    what: "a report over 5,000 actions",
    measured: median(Array.from({ length: 3 }, () => run<{ ms: number }>("report", "").ms)),
    limit: 10,
    bound: "at most",
    unit: " ms",
    detail: "looks up each of them, and records an event for each",
  };
}

function run<T>(mode: string, variant: string): T {
  const script = fileURLToPath(new URL("driver-run.js", import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [script, mode, variant], { encoding: "utf8" })) as T;
}
