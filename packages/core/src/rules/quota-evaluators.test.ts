import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim, Pod, Service } from "../api/generated/types/core/v1.ts";
import type { DeviceClass, DeviceRequest, ResourceClaim } from "../api/generated/types/resource/v1.ts";
import type { KubernetesObject } from "../api/resource.ts";
import { isClaimOfPod } from "./quota-devices.ts";
import {
  matchesAllScopes,
  type QuotaContext,
  type QuotaWrite,
  quotaEvaluatorOf,
  sumQuotaUsage,
} from "./quota-evaluators.ts";
import { printAmounts } from "./resource-amounts.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");

function evaluatorOf(id: string) {
  const [resource = "", ...group] = id.split(".");
  const evaluator = quotaEvaluatorOf({ group: group.join("."), resource });
  if (evaluator === undefined) throw new Error(`${id} is not counted`);
  return evaluator;
}

const pod = (parts: Partial<Pod> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "shop", uid: "pod-a" },
  spec: { containers: [{ name: "main" }] },
  ...parts,
});
const requesting = (resources: Readonly<Record<string, string>>, parts: Partial<Pod> = {}) =>
  pod({ spec: { containers: [{ name: "main", resources: { requests: resources } }] }, ...parts });
const withDeadline = (activeDeadlineSeconds: number | undefined) =>
  pod({ spec: { containers: [], ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }) } });
const service = (type: string): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {},
  spec: { type, ports: [{ port: 80 }] },
});
const claim = (parts: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {},
  spec: { resources: { requests: { storage: "1Gi" } } },
  ...parts,
});

describe("which of a quota's resources", () => {
  const deviceClasses = new Map<string, DeviceClass>([
    [
      "gpu",
      {
        apiVersion: "resource.k8s.io/v1",
        kind: "DeviceClass",
        metadata: {},
        spec: { extendedResourceName: "example.com/gpu" },
      },
    ],
    ["plain", { apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: {}, spec: {} }],
  ]);
  const all = [
    "count/pods",
    "pods",
    "cpu",
    "requests.cpu",
    "limits.memory",
    "hugepages-2Mi",
    "requests.example.com/gpu",
    "requests.deviceclass.resource.kubernetes.io/plain",
    "requests.deviceclass.resource.kubernetes.io/none",
    "services",
    "count/services",
    "services.nodeports",
    "services.loadbalancers",
    "persistentvolumeclaims",
    "count/persistentvolumeclaims",
    "requests.storage",
    "gold.storageclass.storage.k8s.io/requests.storage",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
    "gold.storageclass.storage.k8s.io/other",
    "count/resourceclaims.resource.k8s.io",
    "gpu.deviceclass.resource.k8s.io/devices",
    "secrets",
    "count/secrets",
    "configmaps",
    "resourcequotas",
    "replicationcontrollers",
    "count/deployments.apps",
    "deployments",
    "count/widgets.example.com",
  ];
  test.each([
    [
      "pods",
      [
        "count/pods",
        "pods",
        "cpu",
        "requests.cpu",
        "limits.memory",
        "hugepages-2Mi",
        "requests.example.com/gpu",
        "requests.deviceclass.resource.kubernetes.io/plain",
        "requests.deviceclass.resource.kubernetes.io/none",
      ],
    ],
    ["services", ["services", "count/services", "services.nodeports", "services.loadbalancers"]],
    [
      "persistentvolumeclaims",
      [
        "persistentvolumeclaims",
        "count/persistentvolumeclaims",
        "requests.storage",
        "gold.storageclass.storage.k8s.io/requests.storage",
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
      ],
    ],
    [
      "resourceclaims.resource.k8s.io",
      [
        "requests.example.com/gpu",
        "requests.deviceclass.resource.kubernetes.io/plain",
        "count/resourceclaims.resource.k8s.io",
        "gpu.deviceclass.resource.k8s.io/devices",
      ],
    ],
    ["secrets", ["count/secrets", "secrets"]],
    ["configmaps", ["configmaps"]],
    ["resourcequotas", ["resourcequotas"]],
    ["replicationcontrollers", ["replicationcontrollers"]],
    ["deployments.apps", ["count/deployments.apps"]],
    ["widgets.example.com", ["count/widgets.example.com"]],
    ["gadgets.example.com", []],
  ])("%s use", (id, expected) => {
    expect(evaluatorOf(id).matchingResources(all, { deviceClasses })).toEqual(expected);
  });

  test("extended resources are not those of devices where devices do not count as such", () => {
    const names = ["requests.example.com/gpu", "gpu.deviceclass.resource.k8s.io/devices"];
    expect(evaluatorOf("resourceclaims.resource.k8s.io").matchingResources(names)).toEqual([names[1]]);
  });

  test.each([
    ["events"],
    ["events.events.k8s.io"],
    ["bindings"],
    ["componentstatuses"],
    ["tokenreviews.authentication.k8s.io"],
  ])("%s are never counted", (id) => expect(() => evaluatorOf(id)).toThrow("is not counted"));
});

describe("an update is to be computed:", () => {
  const status = (cpu: string, name = "main"): Partial<Pod> => ({
    status: {
      containerStatuses: [
        { name, image: "i", imageID: "", ready: true, restartCount: 0, resources: { requests: { cpu } } },
      ],
    },
  });
  const initStatus = (cpu: string): Partial<Pod> => ({
    status: { initContainerStatuses: status(cpu).status?.containerStatuses ?? [] },
  });
  const deleted = (seconds: number): Partial<Pod> => ({
    metadata: { deletionTimestamp: "2024-05-01T11:59:00Z", deletionGracePeriodSeconds: seconds },
  });
  const rows: readonly [string, string, KubernetesObject, KubernetesObject, boolean][] = [
    ["pods", "a pod that has succeeded", pod(), pod({ status: { phase: "Succeeded" } }), true],
    ["pods", "a pod that has failed", pod(), pod({ status: { phase: "Failed" } }), true],
    ["pods", "a pod that is running now", pod(), pod({ status: { phase: "Running" } }), false],
    [
      "pods",
      "a pod that had ended before",
      pod({ status: { phase: "Failed" } }),
      pod({ status: { phase: "Failed", reason: "x" } }),
      false,
    ],
    ["pods", "a pod that is being deleted", pod(), pod(deleted(60)), false],
    ["pods", "a pod whose grace period is over", pod(), pod(deleted(59)), true],
    ["pods", "a pod that got a deadline", withDeadline(undefined), withDeadline(0), true],
    ["pods", "a pod that lost its deadline", withDeadline(5), withDeadline(undefined), true],
    ["pods", "a pod with another deadline", withDeadline(5), withDeadline(4), false],
    ["pods", "a container that was resized", pod(status("1")), pod(status("2")), true],
    ["pods", "an init container that was resized", pod(initStatus("1")), pod(initStatus("2")), true],
    ["pods", "a container with the same resources", pod(status("1")), pod(status("1")), false],
    ["pods", "a container that is reported for the first time", pod(), pod(status("1")), false],
    ["pods", "a container that is reported no longer", pod(status("1")), pod(status("2", "other")), false],
    ["services", "a service that became a load balancer", service("ClusterIP"), service("LoadBalancer"), true],
    ["services", "a service that has no node ports any more", service("NodePort"), service("ClusterIP"), true],
    ["services", "a service that became external", service("ClusterIP"), service("ExternalName"), false],
    ["services", "a load balancer with another port", service("LoadBalancer"), { ...service("LoadBalancer") }, false],
    ["persistentvolumeclaims", "a claim that is bound", claim(), claim({ status: { phase: "Bound" } }), false],
    [
      "persistentvolumeclaims",
      "a claim that was expanded",
      claim(),
      claim({ status: { allocatedResources: { storage: "2Gi" } } }),
      true,
    ],
    [
      "persistentvolumeclaims",
      "a claim with less allocated than requested",
      claim(),
      claim({ status: { allocatedResources: { storage: "1" } } }),
      false,
    ],
    [
      "persistentvolumeclaims",
      "a claim whose VolumeAttributesClass is being changed",
      claim({ status: { currentVolumeAttributesClassName: "slow" } }),
      claim({
        status: {
          currentVolumeAttributesClassName: "slow",
          modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "fast" },
        },
      }),
      true,
    ],
    [
      "secrets",
      "a secret",
      { apiVersion: "v1", kind: "Secret", metadata: {} },
      { apiVersion: "v1", kind: "Secret", metadata: { labels: { a: "b" } } },
      false,
    ],
  ];
  test.each(rows)("%s: %s", (id, _name, before, after, expected) => {
    expect(evaluatorOf(id).isReplenishedBy(before, after, { nowMs })).toBe(expected);
  });
});

describe("admission charges", () => {
  const update = (
    before: KubernetesObject,
    object: KubernetesObject,
    subresource = "",
  ): QuotaWrite<KubernetesObject> => ({
    operation: "update",
    subresource,
    before,
    object,
  });
  const create = (object: KubernetesObject, subresource = ""): QuotaWrite<KubernetesObject> => ({
    operation: "create",
    subresource,
    object,
  });
  const expanded = claim({ status: { allocatedResources: { storage: "2Gi" } } });
  const device: KubernetesObject = { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {} };
  const rows: readonly [string, string, QuotaWrite<KubernetesObject>, boolean][] = [
    ["pods", "a pod that is created", create(pod()), true],
    ["pods", "a binding of a pod", create(pod(), "binding"), false],
    ["pods", "an update of a pod", update(pod(), pod()), false],
    ["pods", "an update that gives a deadline", update(withDeadline(undefined), withDeadline(5)), true],
    ["pods", "an update that takes the deadline away", update(withDeadline(5), withDeadline(undefined)), true],
    ["pods", "an update with another deadline", update(withDeadline(5), withDeadline(4)), false],
    ["pods", "a resize", update(pod(), pod(), "resize"), true],
    ["pods", "a status", update(pod(), pod(), "status"), false],
    ["services", "a service that is created", create(service("ClusterIP")), true],
    ["services", "an update of a service", update(service("ClusterIP"), service("NodePort")), true],
    ["services", "a status of a service", update(service("ClusterIP"), service("NodePort"), "status"), false],
    ["persistentvolumeclaims", "a claim that is created", create(claim()), true],
    ["persistentvolumeclaims", "an update of a claim", update(claim(), claim()), true],
    ["persistentvolumeclaims", "a status that allocates storage", update(claim(), expanded, "status"), true],
    ["persistentvolumeclaims", "a status that allocates nothing", update(claim(), claim(), "status"), false],
    ["persistentvolumeclaims", "another subresource", update(claim(), expanded, "other"), false],
    ["resourceclaims.resource.k8s.io", "a claim for devices", create(device), true],
    ["resourceclaims.resource.k8s.io", "an update of one", update(device, device), true],
    ["resourceclaims.resource.k8s.io", "a status of one", update(device, device, "status"), false],
    ["secrets", "a secret that is created", create(pod()), true],
    ["secrets", "an update of a secret", update(pod(), pod()), false],
    ["secrets", "a subresource of any object", create(pod(), "scale"), false],
  ];
  test.each(rows)("%s: %s", (id, _name, write, expected) => expect(evaluatorOf(id).handles(write)).toBe(expected));

  test("only pods must say what they request", () => {
    expect(evaluatorOf("pods").findMissing(pod(), ["cpu"])).toBe("must specify cpu for: main");
    expect(evaluatorOf("services").findMissing(service("ClusterIP"), ["cpu"])).toBeUndefined();
  });
});

describe("the scope VolumeAttributesClass", () => {
  const by = (operator: string, ...values: readonly string[]) => ({
    scopeName: "VolumeAttributesClass",
    operator,
    ...(values.length === 0 ? {} : { values }),
  });
  const wanted = (name: string) => claim({ spec: { volumeAttributesClassName: name } });
  const current = claim({ status: { currentVolumeAttributesClassName: "fast" } });
  const target = claim({
    spec: { volumeAttributesClassName: "slow" },
    status: { modifyVolumeStatus: { status: "Pending", targetVolumeAttributesClassName: "fast" } },
  });
  test.each([
    ["of a claim without one", by("Exists"), claim(), false],
    ["of a claim whose one is empty", by("Exists"), wanted(""), false],
    ["of a claim with one", by("Exists"), wanted("fast"), true],
    ["by name", by("In", "fast"), wanted("fast"), true],
    ["by another name", by("In", "fast"), wanted("slow"), false],
    ["by the name in use", by("In", "fast"), current, true],
    ["by the name that it is changed to", by("In", "fast"), target, true],
    ["not by name: one of two is enough", by("NotIn", "fast"), target, true],
    ["absent", by("DoesNotExist"), claim(), true],
    ["absent, with one", by("DoesNotExist"), wanted("fast"), false],
    ["and other scopes", { scopeName: "BestEffort", operator: "Exists" }, wanted("fast"), false],
  ])("%s", (_name, scope, object, expected) => {
    expect(matchesAllScopes(evaluatorOf("persistentvolumeclaims"), [scope], object)).toBe(expected);
  });
  test("pods do not have", () => {
    expect(matchesAllScopes(evaluatorOf("pods"), [by("Exists")], pod())).toBe(false);
  });
});

describe("devices", () => {
  const classOf = (extendedResourceName?: string): DeviceClass => ({
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    metadata: {},
    spec: extendedResourceName === undefined ? {} : { extendedResourceName },
  });
  const deviceClasses = new Map([
    ["gpu", classOf("example.com/gpu")],
    ["tpu", classOf()],
  ]);
  const exactly = (deviceClassName: string, count = 1, allocationMode = "ExactCount"): DeviceRequest => ({
    name: "r",
    exactly: { deviceClassName, count, allocationMode },
  });
  const first = (...each: readonly (readonly [string, number, string?])[]): DeviceRequest => ({
    name: "r",
    firstAvailable: each.map(([deviceClassName, count, allocationMode = "ExactCount"]) => ({
      name: "s",
      deviceClassName,
      count,
      allocationMode,
    })),
  });
  const devices = (requests: readonly DeviceRequest[], metadata: ResourceClaim["metadata"] = {}): ResourceClaim => ({
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata,
    spec: { devices: { requests } },
  });
  const usage = (object: ResourceClaim, more: Partial<QuotaContext> = {}) => {
    const { "count/resourceclaims.resource.k8s.io": count, ...rest } = printAmounts(
      evaluatorOf("resourceclaims.resource.k8s.io").usageOf(object, { nowMs, ...more }),
    );
    expect(count).toBe("1");
    return rest;
  };
  const perClass = (name: string) => `${name}.deviceclass.resource.k8s.io/devices`;
  const implicit = (name: string) => `requests.deviceclass.resource.kubernetes.io/${name}`;

  test.each([
    ["one device", [exactly("gpu")], { [perClass("gpu")]: "1" }],
    [
      "many requests",
      [exactly("gpu"), exactly("gpu"), exactly("tpu")],
      { [perClass("gpu")]: "2", [perClass("tpu")]: "1" },
    ],
    ["several devices", [exactly("gpu", 5)], { [perClass("gpu")]: "5" }],
    ["all devices, as many as an allocation can have", [exactly("gpu", 0, "All")], { [perClass("gpu")]: "32" }],
    ["a mode of the future", [exactly("gpu", 3, "Guess")], { [perClass("gpu")]: "0" }],
    ["the largest of the alternatives", [first(["gpu", 2], ["gpu", 1])], { [perClass("gpu")]: "2" }],
    ["all devices among the alternatives", [first(["gpu", 2], ["gpu", 0, "All"])], { [perClass("gpu")]: "32" }],
    [
      "alternatives of two classes",
      [first(["gpu", 2], ["tpu", 1])],
      { [perClass("gpu")]: "2", [perClass("tpu")]: "1" },
    ],
    ["a request of the future", [{ name: "r" }], {}],
  ])("%s", (_name, requests, expected) => expect(usage(devices(requests))).toEqual(expected));

  test("count as extended resources, too", () => {
    expect(usage(devices([exactly("gpu", 2), exactly("tpu")]), { deviceClasses })).toEqual({
      [perClass("gpu")]: "2",
      [implicit("gpu")]: "2",
      "requests.example.com/gpu": "2",
      [perClass("tpu")]: "1",
      [implicit("tpu")]: "1",
    });
  });

  test.each([
    [
      "by the name of the resource",
      { "example.com/gpu": "1" },
      { [implicit("gpu")]: "2", "requests.example.com/gpu": "1" },
    ],
    [
      "by the name of the class",
      { "deviceclass.resource.kubernetes.io/gpu": "2" },
      { "requests.example.com/gpu": "2" },
    ],
    ["more than the claim has", { "example.com/gpu": "9" }, { [implicit("gpu")]: "2" }],
  ])("less what the pod requests that the claim is for: %s", (_name, requests, expected) => {
    const podOfClaim = () => requesting(requests);
    expect(usage(devices([exactly("gpu", 2)]), { deviceClasses, podOfClaim })).toEqual({
      [perClass("gpu")]: "2",
      ...expected,
    });
  });

  const owned = (name: string, created: string, more: Partial<ResourceClaim["metadata"]> = {}) =>
    devices([], {
      name,
      creationTimestamp: created,
      annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "pod-a", controller: true }],
      ...more,
    });
  const early = "2024-05-01T11:00:00Z";
  const late = "2024-05-01T11:30:00Z";
  const naming = (resourceClaimName: string) =>
    pod({ status: { extendedResourceClaimStatus: { resourceClaimName, requestMappings: [] } } });
  test.each([
    ["that the pod's status names", owned("x", late), naming("x"), [], true],
    ["when the pod's status names another", owned("x", early), naming("y"), [], false],
    ["that is the only one", owned("x", early), pod(), [owned("x", early)], true],
    ["that is the oldest", owned("x", early), pod(), [owned("w", late)], true],
    ["that is not the oldest", owned("x", late), pod(), [owned("y", early)], false],
    ["with the first name among those of one moment", owned("x", early), pod(), [owned("y", early)], true],
    ["with a later name than another of that moment", owned("x", early), pod(), [owned("w", early)], false],
    ["without the annotation", owned("x", early, { annotations: {} }), pod(), [], false],
    ["without a controller", owned("x", early, { ownerReferences: [] }), pod(), [], false],
    ["of a pod that was replaced", owned("x", early), pod({ metadata: { name: "a", uid: "other" } }), [], false],
    [
      "of another owner",
      owned("x", early, {
        ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "a", uid: "pod-a", controller: true }],
      }),
      pod(),
      [],
      false,
    ],
  ])("a claim for a pod's extended resources: %s", (_name, object, owner, others, expected) => {
    expect(isClaimOfPod(object, owner, others)).toBe(expected);
  });
});

describe("the usage of several objects", () => {
  const sum = (
    id: string,
    objects: readonly KubernetesObject[],
    names: readonly string[],
    scopes: readonly string[] = [],
  ) => {
    const terms = { names, scopes: scopes.map((scopeName) => ({ scopeName, operator: "Exists" })) };
    const steps = sumQuotaUsage(evaluatorOf(id), objects, { nowMs, ...terms });
    for (let count = 0; ; count++) {
      const step = steps.next();
      if (step.done === true) return { ...printAmounts(step.value), steps: count };
    }
  };
  test("is zero of what nothing uses", () => {
    expect(sum("pods", [], ["cpu", "pods"])).toEqual({ cpu: "0", pods: "0", steps: 0 });
    expect(sum("secrets", [], ["secrets"])).toEqual({ secrets: "0", steps: 0 });
  });
  test("keeps the format of what is added, and is computed one object at a time", () => {
    const objects = [requesting({ memory: "512Mi", cpu: "250m" }), requesting({ memory: "512Mi", cpu: "750m" })];
    expect(sum("pods", objects, ["memory", "cpu"])).toMatchObject({ memory: "1Gi", cpu: "1", steps: 2 });
  });
  test("leaves out what the scopes do not match", () => {
    const objects = [pod(), requesting({ cpu: "1" })];
    expect(sum("pods", objects, ["pods"], ["BestEffort"])).toMatchObject({ pods: "1" });
    expect(sum("pods", objects, ["pods"], ["NotBestEffort"])).toMatchObject({ pods: "1", cpu: "1" });
    expect(sum("services", [service("NodePort")], ["services"], ["BestEffort"])).toMatchObject({ services: "0" });
  });
  test("is zero where a scope selector cannot be read", () => {
    const scopes = [{ scopeName: "PriorityClass", operator: "Like" }];
    const steps = sumQuotaUsage(evaluatorOf("pods"), [pod()], { nowMs, names: ["pods"], scopes });
    expect(printAmounts(steps.next().value ?? new Map())).toEqual({ pods: "0" });
  });
  test("does not count pod-level resources where they are off", () => {
    const whole = pod({ spec: { containers: [], resources: { requests: { cpu: "2" } } } });
    const usageOf = (withPodLevel?: boolean) =>
      printAmounts(evaluatorOf("pods").usageOf(whole, { nowMs, withPodLevel }));
    expect(usageOf()).toMatchObject({ cpu: "2" });
    expect(usageOf(false)).not.toHaveProperty("cpu");
  });
});
