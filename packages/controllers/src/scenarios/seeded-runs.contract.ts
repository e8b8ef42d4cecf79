// Runs the scenarios of a controller with many seeds: while requests fail and the controller is killed, and while two replicas of it contend and
// the leader is disturbed. The end must be the same. KUBELOOP_SEEDS says with how many seeds, KUBELOOP_ONLY_SEED with which one: what fails
// prints how it is run again. And the runs must have been disturbed, or they would show nothing.
import { KubeloopError } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { requestFaults } from "./disturbances.contract.ts";
import { type Disturbance, type EmbeddedRun, runDisturbed, runEmbedded } from "./embedded-cluster.contract.ts";
import type { Scenario } from "./scenario.contract.ts";

const { KUBELOOP_SEEDS: howMany = "5", KUBELOOP_ONLY_SEED: only } = process.env;
const seeds = only === undefined ? Array.from({ length: Number(howMany) }, (_, seed) => seed) : [Number(only)];

/** The kinds of disturbed runs. */
const kinds: Readonly<Record<string, Partial<EmbeddedRun>>> = {
  "killed twice": { kills: 2 },
  "two replicas": { leadersDisturbed: 3 },
};

export function defineSeededRuns(scenarios: readonly Scenario[], controllers: EmbeddedRun["controllers"]): void {
  const runnable = scenarios.filter(({ needsRealServer }) => needsRealServer !== true);
  for (const [kind, how] of Object.entries(kinds)) {
    const total = { kills: 0, faults: 0, terms: 0 };
    // Not `describe.each`, which cuts long names off.
    for (const scenario of runnable) {
      describe(`${kind}: ${scenario.name}`, () => {
        test.each(seeds)("seed %i", async (seed) => {
          const run = { controllers, seed: `${scenario.name} ${seed}`, faults: requestFaults, ...how };
          const disturbance = await runDisturbed(scenario, run).catch((error: unknown) => {
            throw new KubeloopError(`with seed ${seed}; again with KUBELOOP_ONLY_SEED=${seed}: ${messageOf(error)}`, {
              reason: "SeedFailed",
              cause: error,
            });
          });
          for (const what of Object.keys(total) as (keyof Disturbance)[]) total[what] += disturbance[what];
        });
      });
    }
    test.runIf(only === undefined)(`${kind}: the runs were disturbed`, () => {
      const runs = runnable.length * seeds.length;
      // A small scenario takes a few requests only: some runs are over before anything happens to them.
      expect(total.faults).toBeGreaterThan(runs / 2);
      if (how.kills !== undefined) expect(total.kills).toBeGreaterThan(runs / 2);
      if (how.leadersDisturbed !== undefined) expect(total.terms).toBeGreaterThan(runs * 1.25);
    });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The same scenarios, undisturbed. */
export function defineRuns(scenarios: readonly Scenario[], controllers: EmbeddedRun["controllers"]): void {
  const runnable = scenarios.filter(({ needsRealServer }) => needsRealServer !== true);
  for (const scenario of runnable) {
    test(scenario.name, () => runEmbedded(scenario, { controllers }));
  }
}
