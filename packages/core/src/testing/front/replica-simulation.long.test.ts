import { expect, test } from "vitest";
import { simulateMany } from "../contract/replica-simulation.fixture.ts";
import { replicaProcedure } from "./replica-procedure.fixture.ts";

test("in two thousand storms a naive reconcile never makes a child too many", async () => {
  const sum = await simulateMany({ first: 1, count: 2_000, newController: replicaProcedure });
  const { seeds, creates, deletes, requests, lost, skips, settlements, virtualHours } = sum;
  console.log({ seeds, virtualHours, creates, deletes, requests, lost, skips, settlements });
  expect(sum.failures).toEqual([]);
});
