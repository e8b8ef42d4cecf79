// Runs seeds one after the other and records the coverage: for the short run, the long run, and a single seed that failed.
//
// To run one seed again: KUBELOOP_SEED=17 npx vitest run --project unit packages/core/src/testing/simulation
import { reflectorRows } from "../../informer/reflector/reflector-step.ts";
import { Coverage } from "./coverage.fixture.ts";
import { disturbanceNames } from "./disturbances.fixture.ts";
import { openFakeServer } from "./fake-server.fixture.ts";
import { faultNames } from "./fault-rules.fixture.ts";
import { oddAnswerNames } from "./odd-answers.fixture.ts";
import { encodingNames, type SimulationResult, simulate } from "./simulate.fixture.ts";
import type { OpenServer } from "./simulated-server.fixture.ts";

/** Names that cannot occur with a server, each with the reason. None of them may occur in a run. */
export type OutOfReach = Readonly<Record<string, string>>;

/** Rows of the reflector that cannot occur with any server. The tests of the reflector cover them. */
export const outOfAllReach: OutOfReach = {
  "watch/resync-failed": "both queues of a shared informer can always resync",
  "watch/malformed": "all servers here send what is well-formed; malformed-objects.test.ts has one that does not",
};

const outOfFakeReach: OutOfReach = {
  ...outOfAllReach,
  "server is restarted": "it keeps history in one place with what it holds",
};

export interface SeedRun {
  readonly failures: readonly SimulationResult[];
  readonly coverage: Coverage;
  readonly outOfReach: OutOfReach;
  /** Names in `outOfReach` that did occur. */
  readonly reached: readonly string[];
  readonly seeds: number;
  readonly writes: number;
  readonly calls: number;
  readonly virtualHours: number;
}

export interface SeedRange {
  readonly first: number;
  readonly count: number;
  /** If names are not covered after `count` seeds, the run continues, but at most to this number of seeds. */
  readonly atMost?: number;
  /** The run stops after this number of failed seeds; three unless given. */
  readonly maxFailures?: number;
  /** The fake server unless given. */
  readonly open?: OpenServer;
  readonly outOfReach?: OutOfReach;
}

export async function runSeeds(range: SeedRange): Promise<SeedRun> {
  const { first, count, atMost = count, maxFailures = 3, open = openFakeServer, outOfReach = outOfFakeReach } = range;
  const coverage = new Coverage(allNames.filter((name) => !Object.hasOwn(outOfReach, name)));
  const reached = new Set<string>();
  const failures: SimulationResult[] = [];
  let [seeds, writes, calls, virtualMs] = [0, 0, 0, 0];
  while (failures.length < maxFailures && (seeds < count || (seeds < atMost && coverage.missed.length > 0))) {
    const result = await simulate(first + seeds++, { open });
    for (const [name, times] of result.hits) {
      coverage.hit(name, times);
      if (Object.hasOwn(outOfReach, name)) reached.add(name);
    }
    if (result.violations.length > 0) failures.push(result);
    writes += result.writes;
    calls += result.calls;
    virtualMs += result.virtualMs;
  }
  return {
    failures,
    coverage,
    outOfReach,
    reached: [...reached],
    seeds,
    writes,
    calls,
    virtualHours: virtualMs / 3_600_000,
  };
}

const ownFolder = "packages/core/src/testing/simulation/simulation.test.ts";

/** Returns the message for a failed seed: the violations, and the command to run it again. */
export function explain({ seed, violations }: SimulationResult, folder = ownFolder): string {
  const again = `KUBELOOP_SEED=${seed} npx vitest run --project unit ${folder}`;
  return [`seed ${seed} failed; see it again with: ${again}`, ...violations].join("\n  ");
}

export function summarize({ seeds, writes, calls, virtualHours, coverage, outOfReach }: SeedRun): string {
  const facts = `${seeds} seeds, ${writes} writes, ${calls} calls of handlers, ${virtualHours.toFixed(1)} virtual hours`;
  const reasons = Object.entries(outOfReach).map(([name, reason]) => `${"never".padStart(9)}  ${name}: ${reason}`);
  return [`${facts}; met, the rarest first:`, ...reasons, coverage.print()].join("\n");
}

const allNames: readonly string[] = [
  ...reflectorRows,
  ...faultNames,
  ...disturbanceNames,
  ...oddAnswerNames,
  ...encodingNames,
];
