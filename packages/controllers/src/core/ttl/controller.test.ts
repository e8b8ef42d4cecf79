import { nodes } from "@kubeloop/core/resources";
import { newNode, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newTtlController } from "./controller.ts";
import { ttlScenarios } from "./scenarios.contract.ts";

describe("the ttl controller on the embedded server", () => {
  defineRuns(ttlScenarios, (run) => run(newTtlController()));
});

test("an update is no change of the cluster's size", () => {
  const { absorb, newModel } = newTtlController();
  const size = newModel();
  const view = { snapshot: undefined as never, nowMs: 0 };
  const object = stored(newNode("n"));
  for (let i = 0; i < 100; i++) absorb?.(size, { type: "add", resource: nodes, object, isInitial: i < 50 }, view);
  absorb?.(size, { type: "update", resource: nodes, before: object, object }, view);
  expect(size.ttlSeconds).toBe(0);
  absorb?.(size, { type: "add", resource: nodes, object, isInitial: false }, view);
  expect(size.ttlSeconds).toBe(15);
  for (let i = 0; i < 12; i++) absorb?.(size, { type: "delete", resource: nodes, object }, view);
  expect(size.ttlSeconds).toBe(0);
});
