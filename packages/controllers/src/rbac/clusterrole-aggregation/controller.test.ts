import { describe, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newClusterRoleAggregationController } from "./controller.ts";
import { clusterRoleAggregationScenarios } from "./scenarios.contract.ts";

describe("the clusterrole aggregation on the embedded server", () => {
  test.each(clusterRoleAggregationScenarios)("$name", (scenario) =>
    runEmbedded(scenario, { controllers: (run) => run(newClusterRoleAggregationController()) }),
  );
});
