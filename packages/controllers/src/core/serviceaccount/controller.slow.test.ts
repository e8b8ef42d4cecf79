import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newServiceAccountController } from "./controller.ts";
import { serviceAccountScenarios } from "./scenarios.contract.ts";

defineSeededRuns(serviceAccountScenarios, (run) => run(newServiceAccountController()));
