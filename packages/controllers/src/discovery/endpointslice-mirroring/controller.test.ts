import type { Change } from "@kubeloop/core/contract";
import { endpointSlices } from "@kubeloop/core/resources";
import { newObject, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointSliceMirroringController } from "./controller.ts";
import { MirrorCounts } from "./model.ts";
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

test("a change of a slice by somebody else waits for the batch period", () => {
  const labels = {
    "kubernetes.io/service-name": "web",
    "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
  };
  const object = stored(newObject(endpointSlices, "shop/a", { metadata: { labels } }));
  const change: Change = { type: "add", resource: endpointSlices, object, isInitial: false };
  const { absorb } = newEndpointSliceMirroringController({ batchMs: 700 });
  const view = { snapshot: plainSnapshot([]), nowMs: 0 };
  expect(absorb?.(new MirrorCounts(1000), change, view)).toEqual([{ key: "shop/web", afterMs: 700 }]);
});
