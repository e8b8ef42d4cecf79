import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newTaintEvictionController } from "./controller.ts";
import { taintEvictionScenarios } from "./scenarios.contract.ts";

describe("taint-eviction on the embedded server", () => {
  defineRuns(taintEvictionScenarios, (run) => run(newTaintEvictionController()));
});

test("its queues have upstream's names and workers", () => {
  const { queues } = newTaintEvictionController();
  expect(queues["pods"]).toMatchObject({ metricName: "noexec_taint_pod", workers: 8 });
  expect(queues["nodes"]).toMatchObject({ metricName: "noexec_taint_node", workers: 8 });
});
