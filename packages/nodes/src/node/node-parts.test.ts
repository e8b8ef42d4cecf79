import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { AdmittedPods, admitPod, rejectedStatus } from "./admit-pod.ts";
import { allocatableOf } from "./allocatable.ts";
import { newNode, toNodeStatus, withoutHeartbeats } from "./node-object.ts";
import { PodAddresses } from "./pod-addresses.ts";

const nowMs = 1_900_000_000_000;
const spec = { name: "n", internalIPs: ["192.168.0.1"], capacity: { cpu: "4", memory: "1Gi", pods: "3" } };

function podOf(
  name: string,
  more: Partial<corev1.PodSpec> = {},
  container: Partial<corev1.Container> = {},
): corev1.Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "ns", uid: name, generation: 1 },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i", ...container }], ...more },
  };
}
const asking = (name: string, requests: Record<string, string>) => podOf(name, {}, { resources: { requests } });
const onPort = (name: string, hostPort: number, hostIP?: string) =>
  podOf(name, {}, { ports: [{ containerPort: 80, hostPort, ...(hostIP === undefined ? {} : { hostIP }) }] });

function usageOf(pods: readonly corev1.Pod[]): AdmittedPods {
  const admitted = new AdmittedPods();
  for (const pod of pods) admitted.add(pod);
  return admitted;
}

test("a pod that has gone leaves its room and its ports", () => {
  const usage = usageOf([asking("a", { cpu: "3" }), onPort("b", 80), onPort("c", 80)]);
  const node = newNode(spec, { notReady: undefined }, nowMs);
  usage.remove("a");
  usage.remove("b");
  expect([admitPod(asking("p", { cpu: "4" }), node, usage), admitPod(onPort("p", 80), node, usage)?.reason]).toEqual([
    undefined,
    "NodePorts",
  ]);
  usage.remove("c");
  usage.remove("c");
  expect([usage.pods, admitPod(onPort("p", 80), node, usage)]).toEqual([0, undefined]);
});

describe("which pods a node takes", () => {
  const plain = newNode(spec, { notReady: undefined }, nowMs);
  const tainted = {
    ...plain,
    spec: {
      taints: [
        { key: "k", effect: "NoExecute" },
        { key: "s", effect: "NoSchedule" },
      ],
    },
  };
  for (const [what, pod, node, others, reason, message] of [
    ["a small one", podOf("p"), plain, [], undefined, undefined],
    [
      "not one that wants more CPU than is left",
      asking("p", { cpu: "2" }),
      plain,
      [asking("o", { cpu: "2500m" })],
      "OutOfcpu",
      "Node didn't have enough resource: cpu, requested: 2000, used: 2500, capacity: 4000",
    ],
    ["one that just fits", asking("p", { cpu: "1500m" }), plain, [asking("o", { cpu: "2500m" })], undefined, undefined],
    [
      "not one that wants more memory than there is",
      asking("p", { memory: "2Gi" }),
      plain,
      [],
      "OutOfmemory",
      "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 968884224",
    ],
    [
      "not one that wants a resource it does not have",
      asking("p", { "example.com/gpu": "1" }),
      plain,
      [],
      "OutOfexample.com/gpu",
      "Node didn't have enough resource: example.com/gpu, requested: 1, used: 0, capacity: 0",
    ],
    [
      "not a fourth of three",
      podOf("p"),
      plain,
      [podOf("a"), podOf("b"), podOf("c")],
      "OutOfpods",
      "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    ],
    [
      "not one whose selector does not match",
      podOf("p", { nodeSelector: { disk: "ssd" } }),
      plain,
      [],
      "NodeAffinity",
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      "not one whose host port is taken",
      onPort("p", 80, "10.0.0.1"),
      plain,
      [onPort("o", 80)],
      "NodePorts",
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ],
    [
      "the same port of another address",
      onPort("p", 80, "10.0.0.1"),
      plain,
      [onPort("o", 80, "10.0.0.2")],
      undefined,
      undefined,
    ],
    [
      "not one that does not tolerate a NoExecute taint",
      podOf("p"),
      tainted,
      [],
      "TaintToleration",
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ],
    [
      "not one for another system",
      podOf("p", { os: { name: "windows" } }),
      plain,
      [],
      "PodOSNotSupported",
      "Failed to admit pod as the OS field doesn't match node OS",
    ],
    [
      "not one that selects another system",
      podOf("p", { nodeSelector: { "kubernetes.io/os": "windows" } }),
      plain,
      [],
      "PodOSSelectorNodeLabelDoesNotMatch",
      "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    ],
    [
      "one that does; NoSchedule is not looked at",
      podOf("p", { tolerations: [{ key: "k", operator: "Exists" }] }),
      tainted,
      [],
      undefined,
      undefined,
    ],
  ] as const) {
    test(what, () => {
      const rejection = admitPod(pod, node, usageOf(others));
      expect([rejection?.reason, rejection?.message]).toEqual([reason, message]);
    });
  }

  test("a rejected pod has failed, without a kubelet's conditions and containers", () => {
    const foreign = { type: "DisruptionTarget", status: "True" };
    const conditions = [{ type: "PodScheduled", status: "True" }, foreign];
    const pod = { ...podOf("p"), status: { phase: "Pending", qosClass: "BestEffort", conditions } };
    expect(rejectedStatus(pod, { reason: "OutOfcpu", message: "m" }, "t")).toEqual({
      phase: "Failed",
      reason: "OutOfcpu",
      message: "Pod was rejected: m",
      startTime: "t",
      conditions: [foreign],
      qosClass: "BestEffort",
      observedGeneration: 1,
    });
  });
});

describe("addresses of pods", () => {
  for (const [what, cidrs, expected] of [
    ["begin after the gateway", ["10.1.2.0/24"], ["10.1.2.2"]],
    ["are of both families", ["10.1.2.0/24", "fd00:1::/64"], ["10.1.2.2", "fd00:1::2"]],
    ["are none without a range", [], undefined],
    ["are none in a range without room", ["10.1.2.0/31"], undefined],
    ["are none in what is no range", ["10.1.2.0"], undefined],
  ] as const) {
    test(what, () => expect(new PodAddresses(cidrs).allocate("a")).toEqual(expected));
  }

  test("a pod keeps its address, and a released one comes back last", () => {
    const addresses = new PodAddresses(["10.1.2.0/29"]);
    const given = ["a", "b", "a"].map((pod) => addresses.allocate(pod)?.[0]);
    addresses.release("a");
    const later = ["c", "d", "e", "f", "g"].map((pod) => addresses.allocate(pod)?.[0]);
    expect([given, later]).toEqual([
      ["10.1.2.2", "10.1.2.3", "10.1.2.2"],
      ["10.1.2.4", "10.1.2.5", "10.1.2.6", "10.1.2.2", undefined],
    ]);
  });

  test("an adopted address is not given to another pod", () => {
    const addresses = new PodAddresses(["10.1.2.0/29"]);
    addresses.adopt("old", ["10.1.2.2"]);
    expect([addresses.allocate("new"), addresses.allocate("old")]).toEqual([["10.1.2.3"], ["10.1.2.2"]]);
  });
});

describe("what of a capacity pods may use", () => {
  for (const [what, capacity, allocatable] of [
    ["memory without the eviction threshold", { memory: "32Gi" }, { memory: "32668Mi" }],
    ["nine tenths of the storage", { "ephemeral-storage": "100Gi" }, { "ephemeral-storage": "90Gi" }],
    ["to the byte", { "ephemeral-storage": "1Gi" }, { "ephemeral-storage": "966367642" }],
    [
      "memory without huge pages",
      { memory: "1Gi", "hugepages-2Mi": "512Mi" },
      { memory: "412Mi", "hugepages-2Mi": "512Mi" },
    ],
    ["never less than nothing", { memory: "50Mi" }, { memory: "0" }],
    [
      "all of the rest",
      { cpu: "4", pods: "110", "example.com/gpu": "2" },
      { cpu: "4", pods: "110", "example.com/gpu": "2" },
    ],
  ] as const) {
    test(what, () => expect(allocatableOf(capacity)).toEqual(allocatable));
  }
});

describe("the Node object", () => {
  test("has a kubelet's labels, addresses and conditions", () => {
    const { metadata, status } = newNode({ ...spec, labels: { zone: "a" } }, { notReady: undefined }, nowMs);
    expect(metadata.labels).toMatchObject({ "kubernetes.io/hostname": "n", "kubernetes.io/os": "linux", zone: "a" });
    expect(status?.addresses).toEqual([
      { type: "InternalIP", address: "192.168.0.1" },
      { type: "Hostname", address: "n" },
    ]);
    expect(status?.capacity).toMatchObject({ cpu: "4", pods: "3", "ephemeral-storage": "100Gi" });
    expect(status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      "MemoryPressure False KubeletHasSufficientMemory",
      "DiskPressure False KubeletHasNoDiskPressure",
      "PIDPressure False KubeletHasSufficientPID",
      "Ready True KubeletReady",
    ]);
  });

  test("keeps what others wrote, and transition times where nothing changed", () => {
    const first = toNodeStatus(spec, undefined, { notReady: undefined }, nowMs);
    const foreign = { type: "NetworkUnavailable", status: "False" };
    const written = {
      ...first,
      capacity: { ...first.capacity, "example.com/gpu": "2" },
      conditions: [...(first.conditions ?? []), foreign],
    };
    const next = toNodeStatus(spec, written, { notReady: "container runtime is down" }, nowMs + 60_000);
    expect(next.allocatable).toMatchObject({ "example.com/gpu": "2" });
    expect(next.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ["NetworkUnavailable", undefined],
      ["MemoryPressure", "2030-03-17T17:46:40Z"],
      ["DiskPressure", "2030-03-17T17:46:40Z"],
      ["PIDPressure", "2030-03-17T17:46:40Z"],
      ["Ready", "2030-03-17T17:47:40Z"],
    ]);
    expect(next.conditions?.at(-1)).toMatchObject({ reason: "KubeletNotReady", message: "container runtime is down" });
  });

  test("two reports differ only in their heartbeats", () => {
    const first = toNodeStatus(spec, undefined, { notReady: undefined }, nowMs);
    const next = toNodeStatus(spec, first, { notReady: undefined }, nowMs + 10_000);
    expect(next).not.toEqual(first);
    expect(withoutHeartbeats(next)).toEqual(withoutHeartbeats(first));
  });
});
