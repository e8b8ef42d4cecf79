import { type corev1, type KubernetesObject, printTime } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { deviceClasses, namespaces, pods, resourceClaims, resourceQuotas, secrets } from "@kubeloop/core/resources";
import { newNamespace, newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newQuota, newSecretIn, served } from "./quota.fixture.ts";
import { newObserveChange, replenish } from "./replenish.ts";

const limits = { secrets: "5", pods: "5" };
const nowMs = Date.parse("2024-05-01T12:00:00Z");
const at = <T extends KubernetesObject>(object: T, seconds: number): T => ({
  ...object,
  metadata: { ...object.metadata, creationTimestamp: printTime(nowMs + seconds * 1000) },
});
const quotas = [
  at(newQuota(limits, { name: "both", status: { hard: limits } }), 0),
  at(newQuota({ services: "5" }, { name: "new" }), -9),
  at(newQuota({ pods: "5" }, { name: "only-pods", status: { hard: { pods: "5" } } }), -9),
  at(newQuota({ pods: "5" }, { name: "no-longer", status: { hard: { "count/secrets": "5" } } }), -9),
] as const;
const snapshot = plainSnapshot([[resourceQuotas, quotas]], { served });
const pod = stored(newPod("shop/p"));
const created = (seconds: number) => at(pod, seconds);
const ended: corev1.Pod = { ...pod, status: { phase: "Failed" } };
const wakes = (change: Change) => replenish(change, snapshot, 0);
const change = <T extends KubernetesObject>(before: T, object: T): Change => ({
  type: "update",
  before,
  object,
  resource: pods,
});

describe("a change frees something:", () => {
  test.each<[string, Change, string | undefined]>([
    ["a deletion", { type: "delete", object: newSecretIn("shop", "a"), resource: secrets }, "shop secrets."],
    [
      "a deletion where there is no quota",
      { type: "delete", object: newSecretIn("other", "a"), resource: secrets },
      undefined,
    ],
    [
      "a deletion of what is in no namespace",
      { type: "delete", object: stored(newNamespace("shop")), resource: namespaces },
      undefined,
    ],
    ["a creation after the quotas", { type: "add", object: created(1), isInitial: false, resource: pods }, undefined],
    [
      "a creation before some quota",
      { type: "add", object: created(-1), isInitial: false, resource: pods },
      "shop pods.",
    ],
    [
      "a creation in the same second",
      { type: "add", object: created(0), isInitial: false, resource: pods },
      "shop pods.",
    ],
    [
      "a quota that is new itself",
      { type: "add", object: quotas[0], isInitial: false, resource: resourceQuotas },
      undefined,
    ],
    ["a pod that has ended", change(pod, ended), "shop pods."],
    ["a pod that changes otherwise", change(pod, { ...pod, status: { phase: "Running" } }), undefined],
    [
      "a pod that was made anew under its name",
      change(pod, { ...pod, metadata: { ...pod.metadata, uid: "another" } }),
      "shop pods.",
    ],
    ["a resync", { ...change(pod, ended), cause: "resync" } as Change, undefined],
    [
      "an update of what is only counted",
      { ...change(newSecretIn("shop", "a"), newSecretIn("shop", "a")), resource: secrets },
      undefined,
    ],
  ])("%s", (_name, each, key) => {
    expect(wakes(each)).toEqual(key === undefined ? [] : [{ key, queue: "resourceChanges" }]);
  });
  test("not before discovery", () => {
    const early = plainSnapshot([[resourceQuotas, quotas]]);
    expect(replenish({ type: "delete", object: newSecretIn("shop", "a"), resource: secrets }, early, 0)).toEqual([]);
  });
});

describe("computed are the quotas that limit it", () => {
  const observe = newObserveChange({ withExtendedResources: true });
  test.each([
    ["shop secrets.", ["shop/both", "shop/no-longer"]],
    ["shop pods.", ["shop/both", "shop/only-pods", "shop/no-longer"]],
    ["shop services.", ["shop/new"]],
    ["shop configmaps.", []],
    ["other pods.", []],
    ["shop gadgets.example.com", undefined],
  ])("%s", (key, expected) => expect(observe(key, { snapshot, model: undefined, nowMs: 0 })).toEqual(expected));

  test("claims for devices free extended resources, where they count as such", () => {
    const hard = { "requests.example.com/gpu": "5" };
    const spec = { extendedResourceName: "example.com/gpu" };
    const gpu = stored({
      apiVersion: "resource.k8s.io/v1",
      kind: "DeviceClass",
      metadata: { name: "gpu" },
      spec,
    } as KubernetesObject);
    const world = plainSnapshot(
      [
        [resourceQuotas, [newQuota(hard, { status: { hard } })]],
        [deviceClasses, [gpu]],
        [resourceClaims, []],
      ],
      { served },
    );
    const key = "shop resourceclaims.resource.k8s.io";
    const view = { snapshot: world, model: undefined, nowMs: 0 };
    expect(observe(key, view)).toEqual(["shop/quota"]);
    expect(newObserveChange({ withExtendedResources: false })(key, view)).toEqual([]);
  });
});
