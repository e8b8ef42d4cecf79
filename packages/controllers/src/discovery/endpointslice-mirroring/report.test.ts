import type { corev1 } from "@kubeloop/core/api";
import { actionsOf, plan } from "@kubeloop/core/contract";
import { endpointSlices } from "@kubeloop/core/resources";
import { outcomeOf, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { sliceActions } from "../../domain/endpoint-slices.ts";
import { sliceOf } from "../endpointslice/slices.fixture.ts";
import type { DecidedMirror } from "./decide.ts";
import { MirrorCounts, newAbsorb, newLearn } from "./model.ts";
import { newReport } from "./report.ts";

const mirrored: corev1.Endpoints = stored({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { namespace: "shop", name: "web" },
});
const actions = sliceActions({ create: [], update: [], remove: [sliceOf("a")] });
const outcome = (notes: Partial<DecidedMirror>) =>
  outcomeOf(
    plan<DecidedMirror>("", [actions], { notes: { beganMs: 1000, groups: [], invalid: 0, skipped: 0, ...notes } }),
  );
const reported = (notes: Partial<DecidedMirror>, nowMs = 1250) =>
  newReport({ maxPerSubset: 1000 })({ key: "shop/web", mirrored, slices: [] }, outcome(notes), {
    nowMs,
    answer: () => undefined,
  });

describe("it says on the Endpoints", () => {
  const invalid = {
    reason: "InvalidIPAddress",
    message: "Skipped 2 invalid IP addresses when mirroring to EndpointSlices",
  };
  const tooMany = (skipped: number) => ({
    reason: "TooManyAddressesToMirror",
    message: `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
  });
  for (const [what, notes, expected] of [
    ["nothing, if all is mirrored", {}, []],
    ["that some are no addresses", { invalid: 2, skipped: 2 }, [invalid]],
    ["that there are too many", { skipped: 3 }, [tooMany(3)]],
    ["both", { invalid: 2, skipped: 3 }, [invalid, tooMany(3)]],
  ] as const) {
    test(what, () => {
      expect(actionsOf(reported(notes)).map((action) => ({ ...action }))).toMatchObject(
        expected.map((event) => ({ type: "event", eventType: "Warning", ...event })),
      );
      expect(actionsOf(reported(notes))).toHaveLength(expected.length);
    });
  }
});

test("how long it took and what was written is measured; time that is set back counts as none", () => {
  const measured = (nowMs: number) =>
    (reported({}, nowMs).measures ?? []).map(({ metric, value, labels }) =>
      [
        metric.definition.name.replace("endpoint_slice_mirroring_controller_", ""),
        ...Object.values(labels),
        value,
      ].join(" "),
    );
  expect(measured(1250)).toEqual(["endpoints_sync_duration 0.25", "changes delete 1"]);
  expect(measured(900)[0]).toBe("endpoints_sync_duration 0");
});

test("the gauges count what is mirrored, and forget what is not any more", () => {
  const model = new MirrorCounts(1000);
  const learn = newLearn({ batchMs: 0 });
  const values = (groups: DecidedMirror["groups"]) => {
    const seen = { key: "shop/web", mirrored, slices: [] };
    learn(model, seen, { outcome: outcome({ groups }), nowMs: 0, answer: () => undefined });
    return model.measure().map(({ metric, value }) => `${metric.definition.name.split("controller_")[1]} ${value}`);
  };
  expect(values([{ endpoints: 1500, slices: 1 }])).toEqual([
    "endpoints_desired 1500",
    "num_endpoint_slices 1",
    "desired_endpoint_slices 2",
  ]);
  expect(values(undefined)).toEqual(["endpoints_desired 0", "num_endpoint_slices 0", "desired_endpoint_slices 0"]);
});

test("a slice that somebody else changes is looked at after the batch period", () => {
  const labels = {
    "kubernetes.io/service-name": "web",
    "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
  };
  const object = sliceOf("a", { labels });
  const absorb = newAbsorb({ batchMs: 500 });
  const change = { type: "add", resource: endpointSlices, object, isInitial: false } as const;
  expect(absorb(new MirrorCounts(1), change)).toEqual([{ key: "shop/web", afterMs: 500 }]);
});
