import { describe } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newClusterRoleAggregationController } from "./controller.ts";
import { clusterRoleAggregationScenarios } from "./scenarios.contract.ts";

describe("the clusterrole aggregation on the embedded server", () => {
  defineRuns(clusterRoleAggregationScenarios, (run) => run(newClusterRoleAggregationController()));
});
