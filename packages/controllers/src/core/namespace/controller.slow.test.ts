import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newNamespaceController } from "./controller.ts";
import { namespaceScenarios } from "./scenarios.contract.ts";

defineSeededRuns(namespaceScenarios, (run) => run(newNamespaceController()));
