import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newNodeLifecycleController } from "./controller.ts";
import { nodeLifecycleScenarios } from "./scenarios.contract.ts";

defineSeededRuns(nodeLifecycleScenarios, (run) => run(newNodeLifecycleController()));
