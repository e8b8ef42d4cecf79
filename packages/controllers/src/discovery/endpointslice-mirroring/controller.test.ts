import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointSliceMirroringController } from "./controller.ts";
import { endpointSliceMirroringScenarios } from "./scenarios.contract.ts";

describe("the endpointslice-mirroring controller on the embedded server", () => {
  defineRuns(endpointSliceMirroringScenarios, (run) => run(newEndpointSliceMirroringController()));
});

test("its queue has upstream's name and workers", () => {
  const { endpoints } = newEndpointSliceMirroringController().queues;
  expect(endpoints).toMatchObject({ metricName: "endpoint_slice_mirroring", workers: 5 });
  expect(newEndpointSliceMirroringController({ workers: 9 }).queues["endpoints"]).toMatchObject({ workers: 9 });
});

test("a key is tried as often as upstream does, with the same delays", () => {
  expect(newEndpointSliceMirroringController().queues["endpoints"]).toMatchObject({
    retry: { baseMs: 1000, maxMs: 100_000, maxTries: 16 },
  });
});
