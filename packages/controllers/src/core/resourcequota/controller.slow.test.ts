import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newResourceQuotaController } from "./controller.ts";
import { resourceQuotaScenarios } from "./scenarios.contract.ts";

defineSeededRuns(resourceQuotaScenarios, (run) => run(newResourceQuotaController()));
