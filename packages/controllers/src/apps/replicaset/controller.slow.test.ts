import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newReplicaSetController } from "./controller.ts";
import { replicaSetScenarios } from "./scenarios.contract.ts";

defineSeededRuns(replicaSetScenarios, (run) => run(newReplicaSetController()));
