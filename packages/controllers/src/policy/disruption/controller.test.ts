import { describe, expect, test } from "vitest";
import { newReplicaSetController } from "../../apps/replicaset/controller.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newDisruptionController } from "./controller.ts";
import { disruptionScenarios } from "./scenarios.contract.ts";

describe("the disruption controller on the embedded server", () => {
  defineRuns(disruptionScenarios, (run) => {
    run(newDisruptionController());
    run(newReplicaSetController());
  });
});

test("its queues have upstream's names and workers", () => {
  const { queues } = newDisruptionController();
  expect(Object.values(queues).map(({ metricName, workers }) => [metricName, workers])).toEqual([
    ["disruption", 1],
    ["disruption_recheck", 1],
    ["stale_pod_disruption", 1],
  ]);
});
