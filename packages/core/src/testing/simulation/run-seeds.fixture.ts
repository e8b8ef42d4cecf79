// Runs seeds one after the other and keeps what they hit: for the quick run, the long one, and a single seed that failed.
//
// To see one seed again: KUBELOOP_SEED=17 npx vitest run --project unit packages/core/src/testing/simulation
import { type ReflectorRow, reflectorRows } from "../../informer/reflector/reflector-step.ts";
import { Coverage } from "./coverage.fixture.ts";
import { disturbanceNames } from "./disturbances.fixture.ts";
import { faultNames } from "./fault-rules.fixture.ts";
import { oddAnswerNames } from "./odd-answers.fixture.ts";
import { type SimulationResult, simulate } from "./simulate.fixture.ts";

/** Rows that no server can bring about. The reflector's own tests show them. */
const rowsOutOfReach: readonly ReflectorRow[] = [
  // Both queues of a shared informer can always resync.
  "watch/resync-failed",
];

export interface SeedRun {
  readonly failures: readonly SimulationResult[];
  readonly coverage: Coverage;
  readonly seeds: number;
  readonly writes: number;
  readonly calls: number;
  readonly virtualHours: number;
}

export interface SeedRange {
  readonly first: number;
  readonly count: number;
  /** Goes on until everything was hit, but not beyond so many. */
  readonly atMost?: number;
  /** Stops after so many seeds that failed; three unless given. */
  readonly maxFailures?: number;
}

export async function runSeeds({ first, count, atMost = count, maxFailures = 3 }: SeedRange): Promise<SeedRun> {
  const coverage = new Coverage(wantedNames());
  const failures: SimulationResult[] = [];
  let [seeds, writes, calls, virtualMs] = [0, 0, 0, 0];
  while (failures.length < maxFailures && (seeds < count || (seeds < atMost && coverage.missed.length > 0))) {
    const result = await simulate(first + seeds++);
    for (const [name, times] of result.hits) coverage.hit(name, times);
    if (result.violations.length > 0) failures.push(result);
    writes += result.writes;
    calls += result.calls;
    virtualMs += result.virtualMs;
  }
  return { failures, coverage, seeds, writes, calls, virtualHours: virtualMs / 3_600_000 };
}

/** What to print for a seed that failed: what was wrong, and how to see it again. */
export function explain({ seed, violations }: SimulationResult): string {
  const again = `KUBELOOP_SEED=${seed} npx vitest run --project unit packages/core/src/testing/simulation`;
  return [`seed ${seed} failed; see it again with: ${again}`, ...violations].join("\n  ");
}

export function summarize({ seeds, writes, calls, virtualHours, coverage }: SeedRun): string {
  const facts = `${seeds} seeds, ${writes} writes, ${calls} calls of handlers, ${virtualHours.toFixed(1)} virtual hours`;
  return `${facts}; met, the rarest first:\n${coverage.print()}`;
}

function wantedNames(): readonly string[] {
  const rows = reflectorRows.filter((row) => !rowsOutOfReach.includes(row));
  return [...rows, ...faultNames, ...disturbanceNames, ...oddAnswerNames];
}
