import { expect, test } from "vitest";
import { simulateMany } from "../contract/replica-simulation.fixture.ts";
import { replicaProcedure } from "./replica-procedure.fixture.ts";

test("in a hundred storms a naive reconcile never makes a child too many", async () => {
  const sum = await simulateMany({ first: 2001, count: 100, newController: replicaProcedure });
  const { seeds, creates, deletes, requests, lost, skips, settlements, virtualHours } = sum;
  console.log({ seeds, virtualHours, creates, deletes, requests, lost, skips, settlements });
  expect(sum.failures).toEqual([]);
});
