import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newNodeLifecycleController } from "./controller.ts";
import { nodeLifecycleScenarios } from "./scenarios.contract.ts";

describe("node-lifecycle on the embedded server", () => {
  defineRuns(nodeLifecycleScenarios, (run) => run(newNodeLifecycleController()));
});

test("its queues have upstream's names and workers", () => {
  const { queues } = newNodeLifecycleController();
  expect(queues["nodes"]).toMatchObject({ metricName: "node_lifecycle_controller", workers: 8 });
  expect(queues["pods"]).toMatchObject({ metricName: "node_lifecycle_controller_pods", workers: 4 });
});

test("a pass runs as often as --node-monitor-period says", () => {
  expect(newNodeLifecycleController().queues["passes"]).toMatchObject({ everyMs: 5000 });
  expect(newNodeLifecycleController({ monitorEveryMs: 700 }).queues["passes"]).toMatchObject({ everyMs: 700 });
});
