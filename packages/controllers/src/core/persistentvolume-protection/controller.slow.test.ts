import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newPersistentVolumeProtectionController } from "./controller.ts";
import { persistentVolumeProtectionScenarios } from "./scenarios.contract.ts";

defineSeededRuns(persistentVolumeProtectionScenarios, (run) => run(newPersistentVolumeProtectionController()));
