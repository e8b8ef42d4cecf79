import { describe } from "vitest";
import { newGarbageCollectorController } from "../../core/garbage-collector/controller.ts";
import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointSliceController } from "./controller.ts";
import { collectedSliceScenarios, ownSliceScenarios } from "./scenarios.contract.ts";

describe("alone", () => defineSeededRuns(ownSliceScenarios, (run) => run(newEndpointSliceController())));

describe("with the garbage collector", () =>
  defineSeededRuns(collectedSliceScenarios, (run) => {
    run(newEndpointSliceController());
    run(newGarbageCollectorController());
  }));
