import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newTtlController } from "./controller.ts";
import { ttlScenarios } from "./scenarios.contract.ts";

defineSeededRuns(ttlScenarios, (run) => run(newTtlController()));
