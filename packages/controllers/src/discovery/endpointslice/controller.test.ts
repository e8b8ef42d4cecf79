import { describe, expect, test } from "vitest";
import { newGarbageCollectorController } from "../../core/garbage-collector/controller.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointSliceController } from "./controller.ts";
import { collectedSliceScenarios, ownSliceScenarios } from "./scenarios.contract.ts";

describe("the endpointslice controller on the embedded server", () => {
  defineRuns(ownSliceScenarios, (run) => run(newEndpointSliceController()));
  defineRuns(collectedSliceScenarios, (run) => {
    run(newEndpointSliceController());
    run(newGarbageCollectorController());
  });
});

test("its queue has upstream's name and workers", () => {
  expect(newEndpointSliceController().queues["services"]).toMatchObject({ metricName: "endpoint_slice", workers: 5 });
  expect(newEndpointSliceController({ workers: 9 }).queues["services"]).toMatchObject({ workers: 9 });
});
