import { newGarbageCollectorController } from "../../core/garbage-collector/controller.ts";
import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointSliceController } from "./controller.ts";
import { endpointSliceScenarios } from "./scenarios.contract.ts";

defineSeededRuns(endpointSliceScenarios, (run) => {
  run(newEndpointSliceController());
  run(newGarbageCollectorController());
});
