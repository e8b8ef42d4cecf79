import type { Change } from "@kubeloop/core/contract";
import { endpointSlices, pods } from "@kubeloop/core/resources";
import { plainSnapshot } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newGarbageCollectorController } from "../../core/garbage-collector/controller.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointSliceController } from "./controller.ts";
import { EndpointSliceModel } from "./model.ts";
import { collectedSliceScenarios, ownSliceScenarios } from "./scenarios.contract.ts";
import { sliceOf } from "./slices.fixture.ts";

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

test("a key is tried as often as upstream does, with the same delays", () => {
  expect(newEndpointSliceController().queues["services"]).toMatchObject({
    retry: { baseMs: 1000, maxMs: 1_000_000, maxTries: 16 },
  });
});

test.each([
  ["a second", {}, 1000],
  ["a second, if the batch period is shorter", { batchMs: 700 }, 1000],
  ["the batch period, if that is longer", { batchMs: 5000 }, 5000],
])("a change of a slice by somebody else waits for %s", (_what, settings, afterMs) => {
  const change: Change = { type: "add", resource: endpointSlices, object: sliceOf("a"), isInitial: false };
  const { absorb } = newEndpointSliceController(settings);
  const view = { snapshot: plainSnapshot([]), nowMs: 0 };
  expect(absorb?.(new EndpointSliceModel(100), change, view)).toEqual([{ key: "shop/web", afterMs }]);
});

test("a change of a pod waits for the batch period", () => {
  const watches = newEndpointSliceController({ batchMs: 700 }).watchesFor(undefined);
  const waits = watches.filter(({ resource }) => resource === pods).map(({ afterMs }) => afterMs);
  expect(waits).toEqual([700]);
});
