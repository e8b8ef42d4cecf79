import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newClusterRoleAggregationController } from "./controller.ts";
import { clusterRoleAggregationScenarios } from "./scenarios.contract.ts";

defineSeededRuns(clusterRoleAggregationScenarios, (run) => run(newClusterRoleAggregationController()));
