import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newGarbageCollectorController } from "./controller.ts";
import { garbageCollectorScenarios } from "./scenarios.contract.ts";

defineSeededRuns(garbageCollectorScenarios, (run) => run(newGarbageCollectorController()));
