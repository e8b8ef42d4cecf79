import { expect, test } from "vitest";
import { simulateMany } from "./replica-simulation.fixture.ts";

test("in two thousand storms, never a child too many", async () => {
  const sum = await simulateMany({ first: 1, count: 2_000 });
  const { seeds, creates, deletes, requests, lost, skips, settlements, virtualHours } = sum;
  console.log({ seeds, virtualHours, creates, deletes, requests, lost, skips, settlements });
  expect(sum.failures).toEqual([]);
});
