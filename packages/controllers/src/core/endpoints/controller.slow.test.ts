import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointsController } from "./controller.ts";
import { endpointsScenarios } from "./scenarios.contract.ts";

defineSeededRuns(endpointsScenarios, (run) => run(newEndpointsController()));
