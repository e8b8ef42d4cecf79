import { newDeploymentController } from "../../apps/deployment/controller.ts";
import { newReplicaSetController } from "../../apps/replicaset/controller.ts";
import { newReplicationControllerController } from "../../core/replicationcontroller/controller.ts";
import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newDisruptionController } from "./controller.ts";
import { disruptionScenarios } from "./scenarios.contract.ts";

defineSeededRuns(disruptionScenarios, (run) => {
  run(newDisruptionController());
  run(newDeploymentController());
  run(newReplicaSetController());
  run(newReplicationControllerController());
});
