import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newTaintEvictionController } from "./controller.ts";
import { taintEvictionScenarios } from "./scenarios.contract.ts";

defineSeededRuns(taintEvictionScenarios, (run) => run(newTaintEvictionController()));
