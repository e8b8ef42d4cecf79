// To run one seed again: KUBELOOP_SEED=17 npx vitest run --project unit packages/core/src/testing/contract/replica-simulation
import { expect, test } from "vitest";
import { leakyGates } from "./leaky-gates.fixture.ts";
import { simulate, simulateMany } from "./replica-simulation.fixture.ts";

const seed = process.env["KUBELOOP_SEED"];

test("with a tenth of the answers lost and watches late by minutes, never a child too many", async () => {
  const sum = await simulateMany(seed === undefined ? { first: 1, count: 25 } : { first: Number(seed), count: 1 });
  expect(sum.failures).toEqual([]);
  if (seed !== undefined) return;
  expect(sum.lost / sum.requests).toBeGreaterThan(0.05);
  expect(sum.skips).toBeGreaterThan(100);
  expect(sum.settlements).toBeGreaterThan(100);
});

test("a seed is the same run each time", async () => {
  expect(await simulate(3)).toEqual(await simulate(3));
});

for (const [bug, wrapGate] of Object.entries(leakyGates)) {
  test(`it is found when ${bug}`, async () => {
    const sum = await simulateMany({ first: 1, count: 100, maxFailures: 1, wrapGate });
    expect(sum.failures).toHaveLength(1);
  });
}
