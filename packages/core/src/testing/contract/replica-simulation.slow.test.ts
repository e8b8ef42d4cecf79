import { expect, test } from "vitest";
import { simulateMany } from "./replica-simulation.fixture.ts";

test("in a hundred and fifty storms, never a child too many", async () => {
  const sum = await simulateMany({ first: 1001, count: 150 });
  const { seeds, creates, deletes, requests, lost, skips, settlements, virtualHours } = sum;
  console.log({ seeds, virtualHours, creates, deletes, requests, lost, skips, settlements });
  expect(sum.failures).toEqual([]);
});
