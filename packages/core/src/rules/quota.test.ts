// Resource amounts, pod requests and limits, quality of service, quota scopes and usage.
import { describe, expect, test } from "vitest";
import type {
  Container,
  ContainerStatus,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
  ServiceSpec,
} from "../api/generated/types/core/v1.ts";
import { computeQosClass, podQosClass } from "./pod-qos.ts";
import { hasPodLevelResources, podLimits, podRequests } from "./pod-resources.ts";
import { matchesQuotaScope, matchesQuotaScopes } from "./quota-scopes.ts";
import {
  claimUsage,
  countResourceName,
  findMissingResources,
  objectCountUsage,
  podQuotaResources,
  podUsage,
  serviceUsage,
} from "./quota-usage.ts";
import {
  addAmounts,
  amountsFit,
  equalAmounts,
  exceededResources,
  maxAmounts,
  minAmounts,
  negativeResources,
  pickAmounts,
  printAmounts,
  type ResourceList,
  subtractAmounts,
  subtractToZero,
  toAmounts,
  withoutZeros,
} from "./resource-amounts.ts";

describe("amounts", () => {
  const a = toAmounts({ cpu: "1", memory: "1Gi" });
  const b = toAmounts({ cpu: "500m", pods: "2" });
  test.each([
    ["add", addAmounts, { cpu: "1500m", memory: "1Gi", pods: "2" }],
    ["subtract", subtractAmounts, { cpu: "500m", memory: "1Gi", pods: "-2" }],
    ["subtract to zero", subtractToZero, { cpu: "500m", memory: "1Gi", pods: "0" }],
    ["max", maxAmounts, { cpu: "1", memory: "1Gi", pods: "2" }],
    ["min", minAmounts, { cpu: "500m", memory: "1Gi", pods: "2" }],
  ] as const)("%s", (_name, work, expected) => expect(printAmounts(work(a, b))).toEqual(expected));

  test("what is exceeded, what fits", () => {
    const limits = toAmounts({ cpu: "750m", pods: "5" });
    expect(exceededResources(a, limits)).toEqual(["cpu"]);
    expect(exceededResources(b, limits)).toEqual([]);
    expect(amountsFit(b, toAmounts({ cpu: "500m", pods: "2" }))).toBe(true);
    expect(amountsFit(b, toAmounts({ cpu: "500m" }))).toBe(false);
    expect(amountsFit(toAmounts({ gpu: "0" }), toAmounts({}))).toBe(true);
  });
  test("the rest", () => {
    expect(printAmounts(pickAmounts(a, ["cpu", "x"]))).toEqual({ cpu: "1" });
    expect(printAmounts(withoutZeros(toAmounts({ a: "0Gi", b: "1" })))).toEqual({ b: "1" });
    expect(negativeResources(toAmounts({ a: "-1", b: "0" }))).toEqual(["a"]);
    expect(equalAmounts(toAmounts({ a: "1" }), toAmounts({ a: "1000m" }))).toBe(true);
    expect(equalAmounts(toAmounts({ a: "1" }), toAmounts({ b: "1" }))).toBe(false);
    expect(equalAmounts(toAmounts({ a: "1" }), toAmounts({}))).toBe(false);
  });
});

const container = (name: string, requests: ResourceList, more: Partial<Container> = {}): Container => ({
  name,
  resources: { requests, limits: requests },
  ...more,
});
const sidecar = (name: string, requests: ResourceList) => container(name, requests, { restartPolicy: "Always" });
const podOf = (spec: Partial<PodSpec>, status: Pod["status"] = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [], ...spec },
  status,
});

describe("a pod's requests", () => {
  const rows: readonly [string, Partial<PodSpec>, ResourceList][] = [
    ["nothing", {}, {}],
    [
      "containers add up",
      { containers: [container("a", { cpu: "1" }), container("b", { cpu: "500m" })] },
      { cpu: "1500m" },
    ],
    [
      "the largest init container counts, if larger",
      {
        containers: [container("a", { cpu: "1", memory: "2Gi" })],
        initContainers: [container("i", { cpu: "3" }), container("j", { cpu: "2", memory: "1Gi" })],
      },
      { cpu: "3", memory: "2Gi" },
    ],
    [
      "sidecars add to the containers",
      { containers: [container("a", { cpu: "1" })], initContainers: [sidecar("s", { cpu: "2" })] },
      { cpu: "3" },
    ],
    [
      "an init container runs beside the sidecars before it",
      {
        containers: [container("a", { cpu: "1" })],
        initContainers: [sidecar("s", { cpu: "2" }), container("i", { cpu: "5" })],
      },
      { cpu: "7" },
    ],
    [
      "and not beside those after it",
      {
        containers: [container("a", { cpu: "1" })],
        initContainers: [container("i", { cpu: "5" }), sidecar("s", { cpu: "2" })],
      },
      { cpu: "5" },
    ],
    [
      "overhead comes on top",
      { containers: [container("a", { cpu: "1" })], overhead: { cpu: "100m", memory: "10Mi" } },
      { cpu: "1100m", memory: "10Mi" },
    ],
    [
      "the pod's own replace the sums, for cpu, memory and huge pages only",
      {
        containers: [container("a", { cpu: "1", memory: "1Gi", "example.com/gpu": "1" })],
        resources: { requests: { cpu: "4", "example.com/gpu": "9" } },
      },
      { cpu: "4", memory: "1Gi", "example.com/gpu": "1" },
    ],
  ];
  test.each(rows)("%s", (_name, spec, expected) => expect(printAmounts(podRequests(podOf(spec)))).toEqual(expected));
  test("overhead can be left out", () => {
    const pod = podOf({ containers: [container("a", { cpu: "1" })], overhead: { cpu: "1" } });
    expect(printAmounts(podRequests(pod, { withOverhead: false }))).toEqual({ cpu: "1" });
  });
});

describe("a pod's limits", () => {
  test("overhead raises only limits that exist", () => {
    const pod = podOf({ containers: [container("a", { cpu: "1" })], overhead: { cpu: "100m", memory: "10Mi" } });
    expect(printAmounts(podLimits(pod))).toEqual({ cpu: "1100m" });
    expect(printAmounts(podLimits(pod, { withOverhead: false }))).toEqual({ cpu: "1" });
  });
  test("the pod's own replace the sums", () => {
    const pod = podOf({ containers: [container("a", { cpu: "1" })], resources: { limits: { cpu: "2" } } });
    expect(printAmounts(podLimits(pod))).toEqual({ cpu: "2" });
    expect(hasPodLevelResources(pod)).toBe(true);
    expect(hasPodLevelResources(podOf({ resources: { requests: { "example.com/gpu": "1" } } }))).toBe(false);
    expect(hasPodLevelResources(podOf({}))).toBe(false);
  });
});

describe("during a resize", () => {
  const statusOf = (name: string, requests: ResourceList, allocatedResources: ResourceList): ContainerStatus => ({
    name,
    image: "i",
    imageID: "",
    ready: true,
    restartCount: 0,
    resources: { requests, limits: requests },
    allocatedResources,
  });
  const spec = { containers: [container("a", { cpu: "2" })] };
  const containerStatuses = [statusOf("a", { cpu: "1" }, { cpu: "1500m" })];
  test("the largest of wanted, allocated and in effect counts", () => {
    expect(printAmounts(podRequests(podOf(spec, { containerStatuses })))).toEqual({ cpu: "2" });
    const shrinking = [statusOf("a", { cpu: "3" }, { cpu: "1" })];
    expect(printAmounts(podRequests(podOf(spec, { containerStatuses: shrinking })))).toEqual({ cpu: "3" });
    expect(printAmounts(podLimits(podOf(spec, { containerStatuses: shrinking })))).toEqual({ cpu: "3" });
  });
  test("what the node has refused does not count", () => {
    const conditions = [{ type: "PodResizePending", status: "True", reason: "Infeasible" }];
    expect(printAmounts(podRequests(podOf(spec, { containerStatuses, conditions })))).toEqual({ cpu: "1500m" });
    expect(printAmounts(podLimits(podOf(spec, { containerStatuses, conditions })))).toEqual({ cpu: "1" });
  });
  test("the status can be left out", () => {
    const pod = podOf(spec, { containerStatuses: [statusOf("a", { cpu: "3" }, {})] });
    expect(printAmounts(podRequests(pod, { useStatus: false }))).toEqual({ cpu: "2" });
  });
  test("plain init containers are not resized", () => {
    const initContainers = [container("i", { cpu: "4" })];
    const status = { initContainerStatuses: [statusOf("i", { cpu: "9" }, {})] };
    expect(printAmounts(podRequests(podOf({ initContainers }, status)))).toEqual({ cpu: "4" });
  });
});

describe("quality of service", () => {
  const both = { cpu: "1", memory: "1Gi" };
  const rows: readonly [string, Partial<PodSpec>, string][] = [
    ["nothing given", { containers: [{ name: "a" }] }, "BestEffort"],
    ["zeros given", { containers: [container("a", { cpu: "0" })] }, "BestEffort"],
    ["other resources given", { containers: [container("a", { "example.com/gpu": "1" })] }, "BestEffort"],
    ["requests equal limits", { containers: [container("a", both)] }, "Guaranteed"],
    [
      "spelled differently",
      { containers: [{ name: "a", resources: { requests: { cpu: "1000m", memory: "1Gi" }, limits: both } }] },
      "Guaranteed",
    ],
    ["memory only", { containers: [container("a", { memory: "1Gi" })] }, "Burstable"],
    ["limits without requests", { containers: [{ name: "a", resources: { limits: both } }] }, "Burstable"],
    ["one container without", { containers: [container("a", both), { name: "b" }] }, "Burstable"],
    ["an init container without", { containers: [container("a", both)], initContainers: [{ name: "i" }] }, "Burstable"],
    ["the pod's own", { containers: [{ name: "a" }], resources: { requests: both, limits: both } }, "Guaranteed"],
    ["the pod's own requests", { containers: [container("a", both)], resources: { requests: both } }, "Burstable"],
  ];
  test.each(rows)("%s", (_name, spec, expected) => expect(computeQosClass(podOf(spec))).toBe(expected));
  test("the status is believed", () => {
    expect(podQosClass(podOf({}, { qosClass: "Guaranteed" }))).toBe("Guaranteed");
    expect(podQosClass(podOf({}))).toBe("BestEffort");
  });
});

describe("quota scopes", () => {
  const rows: readonly [ScopedResourceSelectorRequirement, Partial<PodSpec>, boolean][] = [
    [{ scopeName: "Terminating", operator: "Exists" }, { activeDeadlineSeconds: 0 }, true],
    [{ scopeName: "Terminating", operator: "Exists" }, {}, false],
    [{ scopeName: "NotTerminating", operator: "Exists" }, {}, true],
    [{ scopeName: "BestEffort", operator: "Exists" }, {}, true],
    [{ scopeName: "NotBestEffort", operator: "Exists" }, { containers: [container("a", { cpu: "1" })] }, true],
    [{ scopeName: "PriorityClass", operator: "Exists" }, { priorityClassName: "high" }, true],
    [{ scopeName: "PriorityClass", operator: "Exists" }, {}, false],
    [{ scopeName: "PriorityClass", operator: "DoesNotExist" }, {}, true],
    [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }, { priorityClassName: "high" }, true],
    [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }, {}, false],
    [{ scopeName: "PriorityClass", operator: "NotIn", values: ["high"] }, {}, true],
    [{ scopeName: "Unheard", operator: "Exists" }, {}, false],
    [
      { scopeName: "CrossNamespacePodAffinity", operator: "Exists" },
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "z", namespaceSelector: {} }],
          },
        },
      },
      true,
    ],
    [
      { scopeName: "CrossNamespacePodAffinity", operator: "Exists" },
      {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: "z" } }],
          },
        },
      },
      false,
    ],
  ];
  test.each(rows)("%j of %j", (scope, spec, expected) => expect(matchesQuotaScope(scope, podOf(spec))).toBe(expected));

  test("all scopes of a quota must hold; none holds for all", () => {
    const matches = (spec: ResourceQuotaSpec) => matchesQuotaScopes({ spec }, podOf({ activeDeadlineSeconds: 5 }));
    expect(matches({})).toBe(true);
    expect(matches({ scopes: ["Terminating", "BestEffort"] })).toBe(true);
    expect(matches({ scopes: ["Terminating", "NotBestEffort"] })).toBe(false);
    const expression = { scopeName: "PriorityClass", operator: "Exists" };
    expect(matches({ scopes: ["Terminating"], scopeSelector: { matchExpressions: [expression] } })).toBe(false);
  });
  test("a scope selector nobody understands is an error", () => {
    const scope = { scopeName: "PriorityClass", operator: "Like", values: ["a"] };
    expect(() => matchesQuotaScope(scope, podOf({}))).toThrow('"Like" is not a valid scope selector operator');
  });
});

describe("quota usage", () => {
  const nowMs = Date.parse("2024-05-01T12:00:00Z");
  const busy = podOf({
    containers: [container("a", { cpu: "1", memory: "1Gi", "hugepages-2Mi": "2Mi", "example.com/gpu": "1" })],
  });
  const whole = {
    "count/pods": "1",
    pods: "1",
    cpu: "1",
    "requests.cpu": "1",
    "limits.cpu": "1",
    memory: "1Gi",
    "requests.memory": "1Gi",
    "limits.memory": "1Gi",
    "hugepages-2Mi": "2Mi",
    "requests.hugepages-2Mi": "2Mi",
    "requests.example.com/gpu": "1",
  };
  const leaving = (seconds: number): Pod => ({
    ...busy,
    metadata: { deletionTimestamp: "2024-05-01T11:59:00Z", deletionGracePeriodSeconds: seconds },
  });
  test.each([
    ["a running pod", busy, whole],
    ["a pod that has ended", { ...busy, status: { phase: "Failed" } }, { "count/pods": "1" }],
    ["a pod on its way out", leaving(60), whole],
    ["a pod that should be gone", leaving(59), { "count/pods": "1" }],
    [
      "a pod that requests what only quotas name so",
      podOf({ containers: [container("a", { "requests.example.com/gpu": "1", "kubernetes.io/batteries": "1" })] }),
      { "count/pods": "1", pods: "1" },
    ],
  ] as const)("%s", (_name, pod, expected) => expect(printAmounts(podUsage(pod, nowMs))).toEqual(expected));

  const ports = [{ port: 1 }, { port: 2, nodePort: 30_000 }];
  const serviceRows: readonly [string, ServiceSpec, string, string][] = [
    ["ClusterIP", { type: "ClusterIP", ports }, "0", "0"],
    ["NodePort", { type: "NodePort", ports }, "0", "2"],
    ["LoadBalancer", { type: "LoadBalancer", ports }, "1", "2"],
    [
      "LoadBalancer without node ports",
      { type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false },
      "1",
      "1",
    ],
  ];
  test.each(serviceRows)("a service: %s", (_name, spec, balancers, nodePorts) => {
    expect(printAmounts(serviceUsage({ spec }))).toEqual({
      "count/services": "1",
      services: "1",
      "services.loadbalancers": balancers,
      "services.nodeports": nodePorts,
    });
  });

  test("a claim, by class, in whole bytes, with the larger of request and allocation", () => {
    const claim: PersistentVolumeClaim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {},
      spec: { storageClassName: "gold", resources: { requests: { storage: "1500m" } } },
    };
    expect(printAmounts(claimUsage(claim))).toEqual({
      persistentvolumeclaims: "1",
      "count/persistentvolumeclaims": "1",
      "requests.storage": "2",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      "gold.storageclass.storage.k8s.io/requests.storage": "2",
    });
    const expanding = { ...claim, status: { allocatedResources: { storage: "5Gi" } } };
    expect(printAmounts(claimUsage(expanding))["requests.storage"]).toBe("5Gi");
  });

  test("objects of any kind are counted", () => {
    expect(countResourceName({ group: "apps", resource: "deployments" })).toBe("count/deployments.apps");
    expect(printAmounts(objectCountUsage({ group: "", resource: "secrets" }))).toEqual({ "count/secrets": "1" });
  });

  test("which of a quota's resources pods use", () => {
    const used = ["cpu", "pods", "count/pods", "requests.hugepages-2Mi", "requests.example.com/gpu"];
    const unused = ["services", "count/secrets", "requests.storage", "example.com/gpu"];
    expect(podQuotaResources([...used, ...unused])).toEqual(used);
  });

  test("what containers must say under a quota", () => {
    const pod = podOf({
      containers: [container("b", { cpu: "1" }), { name: "a" }],
      initContainers: [{ name: "c", resources: { limits: { cpu: "1" } } }],
    });
    expect(findMissingResources(pod, ["requests.cpu", "limits.cpu", "memory", "pods"])).toBe(
      "must specify limits.cpu for: a; memory for: a,b,c; requests.cpu for: a,c",
    );
    expect(findMissingResources(pod, ["pods"])).toBeUndefined();
    expect(findMissingResources(podOf({ ...pod.spec, resources: { limits: { cpu: "1" } } }), ["cpu"])).toBeUndefined();
  });
});
