import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newReplicationControllerController } from "./controller.ts";
import { replicationControllerScenarios } from "./scenarios.contract.ts";

defineSeededRuns(replicationControllerScenarios, (run) => run(newReplicationControllerController()));
