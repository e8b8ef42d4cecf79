import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newPersistentVolumeClaimProtectionController } from "./controller.ts";
import { persistentVolumeClaimProtectionScenarios } from "./scenarios.contract.ts";

defineSeededRuns(persistentVolumeClaimProtectionScenarios, (run) =>
  run(newPersistentVolumeClaimProtectionController()),
);
