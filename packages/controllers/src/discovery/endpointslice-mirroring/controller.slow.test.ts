import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointSliceMirroringController } from "./controller.ts";
import { endpointSliceMirroringScenarios } from "./scenarios.contract.ts";

defineSeededRuns(endpointSliceMirroringScenarios, (run) => run(newEndpointSliceMirroringController()));
