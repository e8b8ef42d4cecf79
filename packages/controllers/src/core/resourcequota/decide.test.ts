import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import { actionsOf } from "@kubeloop/core/contract";
import {
  deviceClasses,
  persistentVolumeClaims,
  pods,
  resourceClaims,
  resourceQuotas,
  secrets,
  services,
} from "@kubeloop/core/resources";
import {
  Answers,
  finishDecision,
  newObject,
  newPod,
  newService,
  outcomeOf,
  plainSnapshot,
  stored,
  type World,
} from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newDecide } from "./decide.ts";
import { newObserve } from "./observe.ts";
import { newQuota, newSecretIn, served, widgets } from "./quota.fixture.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const observe = newObserve({ withExtendedResources: true });
const decide = newDecide({ withPodLevel: true });

/** The status after the plan, or "nothing" if none is written, and the error that the plan leaves. */
function decided(quota: corev1.ResourceQuota, ...world: World) {
  const snapshot = plainSnapshot([[resourceQuotas, [quota]], ...world], { served });
  const seen = observe("shop/quota", { snapshot, model: undefined, nowMs });
  if (seen === undefined) throw new Error("nothing observed");
  const plan = finishDecision(decide(seen, { nowMs, answer: (question) => new Answers().answer(question) }));
  if (plan.kind !== "plan") throw new Error("asks");
  const [action] = actionsOf(plan);
  if (action === undefined) return { written: "nothing", unfinished: plan.unfinished?.message };
  expect(action).toMatchObject({ type: "edit", subresource: "status", isLocked: true });
  const { status } = outcomeOf(plan).valueOf(action) as corev1.ResourceQuota;
  return { written: status, unfinished: plan.unfinished?.message };
}
const usedOf = (quota: corev1.ResourceQuota, ...world: World) => {
  const { written } = decided(quota, ...world);
  return typeof written === "object" ? written.used : written;
};

const podOf = (name: string, requests: Readonly<Record<string, string>> = {}, spec: Partial<corev1.PodSpec> = {}) =>
  stored(newPod(`shop/${name}`, { spec: { containers: [{ name: "main", resources: { requests } }], ...spec } }));
const ended = (pod: corev1.Pod, phase: string): corev1.Pod => ({ ...pod, status: { ...pod.status, phase } });
const by = (operator: string, ...values: readonly string[]): Partial<corev1.ResourceQuotaSpec> => ({
  scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] },
});
const high = podOf("high", { cpu: "1" }, { priorityClassName: "high" });
const low = podOf("low", { cpu: "2" }, { priorityClassName: "low" });
const plain = podOf("plain");
const all: World[number] = [pods, [high, low, plain]];

describe("the usage of a quota", () => {
  const rows: readonly [string, corev1.ResourceQuota, World, Readonly<Record<string, string>>][] = [
    ["of nothing is zero", newQuota({ pods: "5", cpu: "3", secrets: "1" }), [], { pods: "0", cpu: "0", secrets: "0" }],
    ["of pods", newQuota({ pods: "5", cpu: "3" }), [all], { pods: "3", cpu: "3" }],
    [
      "of pods that have ended is their number",
      newQuota({ pods: "5", "count/pods": "5", cpu: "3" }),
      [[pods, [ended(high, "Failed"), ended(low, "Succeeded"), plain]]],
      { pods: "1", "count/pods": "3", cpu: "0" },
    ],
    ["of pods elsewhere is not its", newQuota({ pods: "5" }), [[pods, [stored(newPod("other/a"))]]], { pods: "0" }],
    ["with BestEffort", newQuota({ pods: "5" }, { scopes: ["BestEffort"] }), [all], { pods: "1" }],
    [
      "with BestEffort, of others",
      newQuota({ pods: "5" }, { scopes: ["BestEffort"] }),
      [[pods, [high]]],
      { pods: "0" },
    ],
    ["with NotBestEffort", newQuota({ pods: "5" }, { scopes: ["NotBestEffort"] }), [all], { pods: "2" }],
    ["with a priority class", newQuota({ pods: "5" }, by("Exists")), [all], { pods: "2" }],
    ["with a priority class, of others", newQuota({ pods: "5" }, by("Exists")), [[pods, [plain]]], { pods: "0" }],
    ["with one of two priority classes", newQuota({ pods: "5" }, by("In", "high", "low")), [all], { pods: "2" }],
    [
      "with the high priority class",
      newQuota({ pods: "5", cpu: "5" }, by("In", "high")),
      [all],
      { pods: "1", cpu: "1" },
    ],
    ["with the low priority class", newQuota({ pods: "5", cpu: "5" }, by("In", "low")), [all], { pods: "1", cpu: "2" }],
    ["with an unknown priority class", newQuota({ pods: "5" }, by("In", "other")), [all], { pods: "0" }],
    ["without the low priority class", newQuota({ pods: "5" }, by("NotIn", "low")), [all], { pods: "2" }],
    ["without both priority classes", newQuota({ pods: "5" }, by("NotIn", "low", "high")), [all], { pods: "1" }],
    ["without a priority class", newQuota({ pods: "5" }, by("DoesNotExist")), [all], { pods: "1" }],
    ["with a scope that cannot be read is zero", newQuota({ pods: "5" }, by("Like")), [all], { pods: "0" }],
    [
      "with a scope that services do not have",
      newQuota({ services: "5" }, { scopes: ["BestEffort"] }),
      [[services, [stored(newService("shop/a"))]]],
      { services: "0" },
    ],
    [
      "of services",
      newQuota({ services: "5", "services.nodeports": "5" }),
      [[services, [stored(newService("shop/a", { spec: { type: "NodePort", ports: [{ port: 1 }] } }))]]],
      { services: "1", "services.nodeports": "1" },
    ],
    [
      "of claims, by storage class",
      newQuota({ "requests.storage": "5Gi", "gold.storageclass.storage.k8s.io/requests.storage": "5Gi" }),
      [
        [
          persistentVolumeClaims,
          ["gold", "bronze"].map((storageClassName) =>
            stored(
              newObject(persistentVolumeClaims, `shop/${storageClassName}`, {
                spec: { storageClassName, resources: { requests: { storage: "1Gi" } } },
              }),
            ),
          ),
        ],
      ],
      { "requests.storage": "2Gi", "gold.storageclass.storage.k8s.io/requests.storage": "1Gi" },
    ],
    [
      "of any objects, under both names",
      newQuota({ secrets: "5", "count/secrets": "5", "count/widgets.example.com": "5" }),
      [
        [secrets, [newSecretIn("shop", "a"), newSecretIn("shop", "b"), newSecretIn("other", "a")]],
        [
          widgets,
          [stored({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "shop" } })],
        ],
      ],
      { secrets: "2", "count/secrets": "2", "count/widgets.example.com": "1" },
    ],
    ["of quotas counts itself", newQuota({ resourcequotas: "5" }), [], { resourcequotas: "1" }],
    [
      "does not have a name that nobody counts",
      newQuota({ secrets: "5", "count/gadgets.example.com": "5" }),
      [],
      { secrets: "0" },
    ],
    [
      "keeps what was used of a name that nobody counts",
      newQuota(
        { secrets: "5", "count/gadgets.example.com": "5" },
        { status: { used: { "count/gadgets.example.com": "4" } } },
      ),
      [],
      { secrets: "0", "count/gadgets.example.com": "4" },
    ],
    [
      "drops what has no limit any more",
      newQuota({ secrets: "5" }, { status: { hard: { pods: "5", secrets: "5" }, used: { pods: "4", secrets: "3" } } }),
      [],
      { secrets: "0" },
    ],
    [
      "is printed as the format of the first says",
      newQuota({ memory: "5Gi" }),
      [[pods, [podOf("a", { memory: "1024Mi" }), podOf("b", { memory: "1G" })]]],
      { memory: "2073741824" },
    ],
  ];
  test.each(rows)("%s", (_name, quota, world, expected) => expect(usedOf(quota, ...world)).toEqual(expected));

  const gpus: World = [
    [
      deviceClasses,
      [
        stored({
          apiVersion: "resource.k8s.io/v1",
          kind: "DeviceClass",
          metadata: { name: "gpu" },
          spec: { extendedResourceName: "example.com/gpu" },
        } as KubernetesObject),
      ],
    ],
    [
      resourceClaims,
      [
        stored({
          apiVersion: "resource.k8s.io/v1",
          kind: "ResourceClaim",
          metadata: { name: "c", namespace: "shop" },
          spec: {
            devices: {
              requests: [{ name: "r", exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 } }],
            },
          },
        } as KubernetesObject),
      ],
    ],
  ];
  const devices = { "requests.example.com/gpu": "5", "gpu.deviceclass.resource.k8s.io/devices": "5" };
  test("is added up from pods and from devices", () => {
    expect(usedOf(newQuota(devices), ...gpus, [pods, [podOf("a", { "example.com/gpu": "1" })]])).toEqual({
      "requests.example.com/gpu": "3",
      "gpu.deviceclass.resource.k8s.io/devices": "2",
    });
  });
  test("is kept where one of two who count it cannot", () => {
    const quota = newQuota(devices, { status: { used: { "requests.example.com/gpu": "4" } } });
    const { written, unfinished } = decided(quota, ...gpus, [pods, [podOf("broken", { cpu: "many" })]]);
    expect(written).toMatchObject({
      used: { "requests.example.com/gpu": "4", "gpu.deviceclass.resource.k8s.io/devices": "2" },
    });
    expect(unfinished).toContain("quantit");
  });
});

describe("the status is written", () => {
  const used = { pods: "3", cpu: "3" };
  const hard = { pods: "5", cpu: "5" };
  test.each([
    ["when there is none", newQuota(hard), { hard, used }],
    ["when limits have changed", newQuota(hard, { status: { hard: { ...hard, cpu: "4" }, used } }), { hard, used }],
    ["when the usage has changed", newQuota(hard, { status: { hard, used: { ...used, cpu: "2" } } }), { hard, used }],
    ["when usage is missing", newQuota(hard, { status: { hard } }), { hard, used }],
    ["not when it is as it was", newQuota(hard, { status: { hard, used } }), "nothing"],
    [
      "not when it is as it was in another notation",
      newQuota(hard, { status: { hard: { pods: "5", cpu: "5000m" }, used: { pods: "3", cpu: "3000m" } } }),
      "nothing",
    ],
    ["not without limits", newQuota({}), "nothing"],
  ])("%s", (_name, quota, expected) => expect(decided(quota, all).written).toEqual(expected));
});

test("what cannot be computed keeps its usage, and is tried again; the rest is written", () => {
  const broken = podOf("broken", { cpu: "many" });
  const quota = newQuota({ cpu: "5", secrets: "5" }, { status: { used: { cpu: "4", secrets: "4" } } });
  const { written, unfinished } = decided(quota, [pods, [broken]], [secrets, [newSecretIn("shop", "a")]]);
  expect(written).toMatchObject({ used: { cpu: "4", secrets: "1" } });
  expect(unfinished).toContain("quantit");
});

test("of several failures all are told", () => {
  const claim = stored(
    newObject(persistentVolumeClaims, "shop/broken", { spec: { resources: { requests: { storage: "much" } } } }),
  );
  const quota = newQuota({ cpu: "5", "requests.storage": "5" });
  const { unfinished } = decided(quota, [pods, [podOf("broken", { cpu: "many" })]], [persistentVolumeClaims, [claim]]);
  expect(unfinished).toMatch(/^\[.*, .*\]$/);
});

test("it is made in slices", () => {
  const snapshot = plainSnapshot([[resourceQuotas, [newQuota({ pods: "5" })]], all], { served });
  const seen = observe("shop/quota", { snapshot, model: undefined, nowMs });
  const steps = [...(seen === undefined ? [] : decide(seen, { nowMs, answer: () => undefined }))];
  expect(steps).toHaveLength(3);
});
