// To run one seed again: KUBELOOP_SEED=17 npx vitest run --project unit packages/core/src/testing/front/replica-simulation
import { expect, test } from "vitest";
import { leakyGates } from "../contract/leaky-gates.fixture.ts";
import { simulateMany } from "../contract/replica-simulation.fixture.ts";
import { replicaProcedure } from "./replica-procedure.fixture.ts";

const seed = process.env["KUBELOOP_SEED"];
const newController = replicaProcedure;

test("in the usual style, too: with a tenth of the answers lost and watches late by minutes, never a child too many", async () => {
  const range = seed === undefined ? { first: 1, count: 25 } : { first: Number(seed), count: 1 };
  const sum = await simulateMany({ ...range, newController });
  expect(sum.failures).toEqual([]);
  if (seed !== undefined) return;
  expect(sum.lost / sum.requests).toBeGreaterThan(0.05);
  expect(sum.skips).toBeGreaterThan(100);
  expect(sum.settlements).toBeGreaterThan(50);
});

for (const [bug, wrapGate] of Object.entries(leakyGates)) {
  test(`it is found when ${bug}`, async () => {
    const sum = await simulateMany({ first: 1, count: 100, maxFailures: 1, wrapGate, newController });
    expect(sum.failures).toHaveLength(1);
  });
}
