// The same scenarios while requests fail, answers are lost, and the controller is killed: the end is the same.
import { describe, test } from "vitest";
import { oneInTwenty } from "../../scenarios/disturbances.contract.ts";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newClusterRoleAggregationController } from "./controller.ts";
import { clusterRoleAggregationScenarios } from "./scenarios.contract.ts";

const seeds = Number(process.env["KUBELOOP_SEEDS"] ?? 10);

describe.each(clusterRoleAggregationScenarios)("$name", (scenario) => {
  test.each(Array.from({ length: seeds }, (_, seed) => `clusterrole aggregation ${seed}`))("seed %s", (seed) =>
    runEmbedded(scenario, {
      controllers: (run) => run(newClusterRoleAggregationController()),
      seed,
      faults: oneInTwenty,
      kills: 2,
    }),
  );
});
