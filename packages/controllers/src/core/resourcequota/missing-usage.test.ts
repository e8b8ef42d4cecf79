import type { corev1 } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { resourceQuotas } from "@kubeloop/core/resources";
import { plainSnapshot } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { isComputedAfter, missingUsageQueue, primaryQueue, quotaWakes } from "./missing-usage.ts";
import { newQuota, served } from "./quota.fixture.ts";

const hard = { cpu: "4", "requests.example.com/gpu": "4" };
const ready = newQuota(hard, { status: { hard, used: { cpu: "1", "requests.example.com/gpu": "0" } } });
const add = (object: corev1.ResourceQuota): Change<corev1.ResourceQuota> => ({
  type: "add",
  object,
  isInitial: false,
  resource: resourceQuotas,
});
const update = (before: corev1.ResourceQuota, object: corev1.ResourceQuota): Change<corev1.ResourceQuota> => ({
  type: "update",
  before,
  object,
  resource: resourceQuotas,
});

describe("a quota that is new is computed", () => {
  test.each([
    ["first, without a status", newQuota(hard), missingUsageQueue],
    ["first, without usage", newQuota(hard, { status: { hard } }), missingUsageQueue],
    [
      "first, without usage of one resource",
      newQuota(hard, { status: { hard, used: { cpu: "1" } } }),
      missingUsageQueue,
    ],
    [
      "first, with other limits than it says",
      newQuota(hard, { status: { hard: { cpu: "3" }, used: { cpu: "1" } } }),
      missingUsageQueue,
    ],
    [
      "with the others, if nobody counts what is missing",
      newQuota({ "count/gadgets.example.com": "4" }, { status: { hard: { "count/gadgets.example.com": "4" } } }),
      primaryQueue,
    ],
    ["with the others, if its status is complete", ready, primaryQueue],
    [
      "with the others, if its limits are in another notation",
      newQuota({ cpu: "4" }, { status: { hard: { cpu: "4000m" }, used: { cpu: "1" } } }),
      primaryQueue,
    ],
  ])("%s", (_name, quota, queue) => {
    expect(quotaWakes(quota, plainSnapshot([], { served }), add(quota))).toEqual([{ key: "shop/quota", queue }]);
  });
});

test("an update is one key, of what the quota is now", () => {
  const before = newQuota(hard);
  const change = update(before, ready);
  const snapshot = plainSnapshot([], { served });
  expect([before, ready].flatMap((each) => quotaWakes(each, snapshot, change))).toEqual([
    { key: "shop/quota", queue: primaryQueue },
  ]);
});

test("a resync, and a quota that is gone, go with the others", () => {
  const missing = newQuota(hard);
  const snapshot = plainSnapshot([], { served });
  const gone: Change<corev1.ResourceQuota> = { type: "delete", object: missing, resource: resourceQuotas };
  const resync: Change<corev1.ResourceQuota> = { ...update(missing, missing), cause: "resync" };
  for (const change of [gone, resync])
    expect(quotaWakes(missing, snapshot, change)).toEqual([{ key: "shop/quota", queue: primaryQueue }]);
});

describe("a quota is computed after", () => {
  test.each([
    ["it was created", add(ready), true],
    ["its limits have changed", update(ready, newQuota({ cpu: "5" })), true],
    [
      "it was made anew under its name",
      update(ready, { ...newQuota(hard), metadata: { ...ready.metadata, uid: "another" } }),
      true,
    ],
    ["a resync", { ...update(ready, ready), cause: "resync" } as const, true],
    ["its deletion", { type: "delete", object: ready, resource: resourceQuotas } as const, true],
  ])("%s", (_name, change, expected) => expect(isComputedAfter(change)).toBe(expected));
  test.each([
    ["its status has changed", update(newQuota(hard), ready)],
    ["its limits were written in another way", update(newQuota({ cpu: "1" }), newQuota({ cpu: "1000m" }))],
  ])("not after %s", (_name, change) => expect(isComputedAfter(change)).toBe(false));
});
