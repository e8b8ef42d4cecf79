import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newReplicaSetController } from "../replicaset/controller.ts";
import { newDeploymentController } from "./controller.ts";
import { deploymentScenarios } from "./scenarios.contract.ts";

defineSeededRuns(deploymentScenarios, (run) => {
  run(newDeploymentController());
  run(newReplicaSetController());
});
