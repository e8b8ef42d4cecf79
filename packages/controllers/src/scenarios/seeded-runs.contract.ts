// Runs the scenarios of a controller with many seeds, while requests fail and the controller is killed: the end must be the same. KUBELOOP_SEEDS
// says with how many. And the runs must have been disturbed, or they would show nothing.
import { describe, expect, test } from "vitest";
import { requestFaults } from "./disturbances.contract.ts";
import { type EmbeddedRun, runDisturbed, runEmbedded } from "./embedded-cluster.contract.ts";
import type { Scenario } from "./scenario.contract.ts";

const seeds = Number(process.env["KUBELOOP_SEEDS"] ?? 10);

export function defineSeededRuns(scenarios: readonly Scenario[], controllers: EmbeddedRun["controllers"]): void {
  const total = { kills: 0, faults: 0 };
  const runnable = scenarios.filter(({ needsRealServer }) => needsRealServer !== true);
  // Not `describe.each`, which cuts long names off.
  for (const scenario of runnable) {
    describe(`disturbed: ${scenario.name}`, () => {
      test.each(Array.from({ length: seeds }, (_, seed) => seed))("seed %i", async (seed) => {
        const run = { controllers, seed: `${scenario.name} ${seed}`, faults: requestFaults, kills: 2 };
        const { kills, faults } = await runDisturbed(scenario, run);
        total.kills += kills;
        total.faults += faults;
      });
    });
  }
  test("the runs were disturbed", () => {
    // A small scenario takes a few requests only: some runs are over before anything happens to them.
    expect(total.kills).toBeGreaterThan((runnable.length * seeds) / 2);
    expect(total.faults).toBeGreaterThan((runnable.length * seeds) / 2);
  });
}

/** The same scenarios, undisturbed. */
export function defineRuns(scenarios: readonly Scenario[], controllers: EmbeddedRun["controllers"]): void {
  const runnable = scenarios.filter(({ needsRealServer }) => needsRealServer !== true);
  for (const scenario of runnable) {
    test(scenario.name, () => runEmbedded(scenario, { controllers }));
  }
}
