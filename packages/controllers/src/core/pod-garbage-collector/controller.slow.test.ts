import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newPodGarbageCollector } from "./controller.ts";
import { podGarbageCollectorScenarios } from "./scenarios.contract.ts";

defineSeededRuns(podGarbageCollectorScenarios, (run) => run(newPodGarbageCollector()));
