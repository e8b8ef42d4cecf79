// To see one seed again: KUBELOOP_SEED=17 npx vitest run --project unit packages/apiserver/src/integration/simulation/replica-simulation.test.ts
import { leakyGates, replicaProcedure, simulateManyReplicas, simulateReplicas } from "@kubeloop/simulation-suite";
import { describe, expect, test } from "vitest";
import { openEmbeddedServer as open } from "./embedded-server.contract.ts";

const seed = process.env["KUBELOOP_SEED"];
const styles = { "with rules": undefined, "in the usual style": replicaProcedure };

for (const [style, newController] of Object.entries(styles)) {
  describe(`a controller ${style}, on this server, too`, () => {
    test("with a tenth of the answers lost and watches late by minutes makes never a child too many", async () => {
      const range = seed === undefined ? { first: 1, count: 12 } : { first: Number(seed), count: 1 };
      const sum = await simulateManyReplicas({ ...range, open, newController });
      console.log(sum);
      expect(sum.failures).toEqual([]);
      if (seed !== undefined) return;
      expect(sum.lost / sum.requests).toBeGreaterThan(0.05);
      expect(sum.skips).toBeGreaterThan(40);
      expect(sum.settlements).toBeGreaterThan(20);
    });

    for (const [bug, wrapGate] of Object.entries(leakyGates)) {
      test(`is found out when ${bug}`, async () => {
        const sum = await simulateManyReplicas({ first: 1, count: 100, maxFailures: 1, wrapGate, open, newController });
        expect(sum.failures).toHaveLength(1);
      });
    }
  });
}

test("a seed is the same run each time", async () => {
  const first = await simulateReplicas(3, { open });
  expect(await simulateReplicas(3, { open })).toEqual(first);
  expect((await simulateReplicas(4, { open })).digest).not.toBe(first.digest);
});
