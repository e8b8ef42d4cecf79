import type { corev1 } from "@kubeloop/core/api";
import { mapped } from "@kubeloop/core/contract";
import { persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { newObject, newPod, type Overrides, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { claimFinalizer } from "./decide.ts";
import { newClaimsFreedBy, newNeedsLook } from "./wakes.ts";

const deletionTimestamp = "2030-01-01T00:00:00Z";
const running: Overrides<corev1.Pod> = { status: { phase: "Running" } };
const newUser = (claimName: string, overrides: Overrides<corev1.Pod> = {}, nodeName = "n1", uid = "1") =>
  stored(
    newPod("shop/web", {
      ...overrides,
      metadata: { ...overrides.metadata, uid },
      spec: {
        volumes: [
          { name: "v", persistentVolumeClaim: { claimName } },
          { name: "cache", ephemeral: {} },
          { name: "scratch", emptyDir: {} },
        ],
        nodeName,
      },
    }),
  );
const both = ["shop/data", "shop/web-cache"];
const snapshot = plainSnapshot([]);

type PodChange = {
  readonly before?: corev1.Pod;
  readonly object: corev1.Pod;
  readonly type: "add" | "update" | "delete";
};
const woken = ({ type, object, before = object }: PodChange, reportsUnused: boolean) => {
  const watch = mapped(pods, newClaimsFreedBy({ reportsUnused }));
  const change =
    type === "update"
      ? ({ type, before, object } as const)
      : type === "add"
        ? ({ type, object, isInitial: false } as const)
        : ({ type, object } as const);
  return [...new Set(watch.keysOf({ ...change, resource: pods }, snapshot))];
};

const scheduled = newUser("data");
const runs = newUser("data", running);
describe("of a pod", () => {
  test.each<[string, PodChange, { off: readonly string[]; on: readonly string[] }]>([
    ["that was added with a node, none may be free", { type: "add", object: runs }, { off: [], on: both }],
    [
      "that was added without a node, all may",
      { type: "add", object: newUser("data", {}, "") },
      { off: both, on: both },
    ],
    ["that runs, none may be free", { type: "update", before: scheduled, object: runs }, { off: [], on: both }],
    ["that nothing but a resync names, none", { type: "update", object: runs }, { off: [], on: both }],
    [
      "that has ended, all may",
      { type: "update", before: runs, object: newUser("data", { status: { phase: "Succeeded" } }) },
      { off: both, on: both },
    ],
    [
      "that is being deleted and does not run, all may",
      { type: "update", before: runs, object: newUser("data", { metadata: { deletionTimestamp } }) },
      { off: both, on: both },
    ],
    [
      "that got its node, none may be free",
      { type: "update", before: newUser("data", {}, ""), object: scheduled },
      { off: [], on: both },
    ],
    ["that is gone, all may", { type: "delete", object: runs }, { off: both, on: both }],
    [
      "that was made anew under its name, those of the one before may",
      { type: "update", before: newUser("old", running, "n1", "0"), object: runs },
      { off: ["shop/old", "shop/web-cache"], on: ["shop/old", "shop/web-cache", "shop/data"] },
    ],
    [
      "that was made anew without a node, those of both may",
      { type: "update", before: newUser("old", running, "n1", "0"), object: newUser("data", {}, "") },
      { off: ["shop/old", "shop/web-cache", "shop/data"], on: ["shop/old", "shop/web-cache", "shop/data"] },
    ],
  ])("%s", (_fact, change, { off, on }) => {
    expect(woken(change, false)).toEqual(off);
    expect(woken(change, true)).toEqual(on);
  });
});

describe("a claim", () => {
  const newClaim = (overrides: Overrides<corev1.PersistentVolumeClaim>) =>
    stored(newObject(persistentVolumeClaims, "shop/data", overrides));
  const finalizers = [claimFinalizer];
  const conditions = [{ type: "Unused", status: "True" }];
  test.each<[string, Overrides<corev1.PersistentVolumeClaim>, { off: boolean; on: boolean }]>([
    ["without the finalizer is looked at", { status: { conditions } }, { off: true, on: true }],
    [
      "that waits to be let go is looked at",
      { metadata: { finalizers, deletionTimestamp }, status: { conditions } },
      { off: true, on: true },
    ],
    [
      "that has the finalizer is left alone",
      { metadata: { finalizers }, status: { conditions } },
      { off: false, on: false },
    ],
    ["without the condition is looked at where that is kept", { metadata: { finalizers } }, { off: false, on: true }],
    [
      "with other conditions is looked at where that is kept",
      { metadata: { finalizers }, status: { conditions: [{ type: "Resizing", status: "True" }] } },
      { off: false, on: true },
    ],
  ])("%s", (_fact, overrides, { off, on }) => {
    const change = {
      type: "add",
      isInitial: true,
      resource: persistentVolumeClaims,
      object: newClaim(overrides),
    } as const;
    expect(newNeedsLook({ reportsUnused: false })(change)).toBe(off);
    expect(newNeedsLook({ reportsUnused: true })(change)).toBe(on);
  });

  test("that is gone is not looked at", () => {
    const change = { type: "delete", resource: persistentVolumeClaims, object: newClaim({}) } as const;
    expect(newNeedsLook({ reportsUnused: true })(change)).toBe(false);
  });
});
