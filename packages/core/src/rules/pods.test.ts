import { describe, expect, test } from "vitest";
import type { Pod, PodStatus } from "../api/generated/types/core/v1.ts";
import {
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  podAvailableAtMs,
  podDeletionCost,
  podDeletionCostAnnotation,
  podPriority,
} from "./pods.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
function pod(status: PodStatus, metadata: Pod["metadata"] = {}): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] }, status };
}
const ready = (status: string, since?: string): PodStatus => ({
  conditions: [
    { type: "Initialized", status: "True" },
    { type: "Ready", status, ...(since === undefined ? {} : { lastTransitionTime: since }) },
  ],
});

test.each([
  ["True", true],
  ["False", false],
  ["Unknown", false],
])("Ready=%s is ready: %s", (status, expected) => expect(isPodReady(pod(ready(status)))).toBe(expected));
test("a pod without conditions is not ready", () => expect(isPodReady(pod({}))).toBe(false));

test.each([
  ["not ready", ready("False", "2024-05-01T11:00:00Z"), 0, false],
  ["ready, no minimum", ready("True", "2024-05-01T12:00:00Z"), 0, true],
  ["ready, no minimum, since nobody knows when", ready("True"), 0, true],
  ["ready, since nobody knows when", ready("True"), 1, false],
  ["ready for exactly the minimum", ready("True", "2024-05-01T11:59:50Z"), 10, true],
  ["ready for less", ready("True", "2024-05-01T11:59:51Z"), 10, false],
] as const)("available: %s", (_name, status, minReadySeconds, expected) => {
  expect(isPodAvailable(pod(status), { minReadySeconds, nowMs })).toBe(expected);
});

test("tells when a pod will be available", () => {
  expect(podAvailableAtMs(pod(ready("True", "2024-05-01T12:00:00Z")), 5)).toBe(nowMs + 5000);
  expect(podAvailableAtMs(pod(ready("False", "2024-05-01T12:00:00Z")), 5)).toBeUndefined();
});

describe("phase and deletion", () => {
  const deleted = { deletionTimestamp: "2024-05-01T12:00:00Z" };
  for (const [phase, metadata, terminal, active, terminating] of [
    ["Pending", {}, false, true, false],
    ["Running", {}, false, true, false],
    ["Unknown", {}, false, true, false],
    ["Succeeded", {}, true, false, false],
    ["Failed", {}, true, false, false],
    ["Running", deleted, false, false, true],
    ["Failed", deleted, true, false, false],
  ] as const) {
    test(`${phase}${metadata === deleted ? ", deleted" : ""}`, () => {
      const given = pod({ phase }, metadata);
      expect([isPodTerminal(given), isPodActive(given), isPodTerminating(given)]).toEqual([
        terminal,
        active,
        terminating,
      ]);
    });
  }
});

test("priority defaults to zero", () => {
  expect(podPriority(pod({}))).toBe(0);
  expect(podPriority({ ...pod({}), spec: { containers: [], priority: 7 } })).toBe(7);
});

test.each([
  ["100", 100],
  ["-100", -100],
  ["0", 0],
  ["2147483647", 2147483647],
  ["2147483648", undefined],
  ["-2147483649", undefined],
  ["+10", undefined],
  ["007", undefined],
  ["1e3", undefined],
  ["", undefined],
])("a deletion cost of %j counts as %s", (text, expected) => {
  expect(podDeletionCost({ [podDeletionCostAnnotation]: text })).toBe(expected);
});
test("a pod without a deletion cost has none", () => expect(podDeletionCost(undefined)).toBe(0));
