// What the plugins and arguments of a profile change: which nodes are left, which scores they get, and what a refused pod is told.
import { describe, expect, test } from "vitest";
import { node, pod, schedule, scoreAlone } from "../cluster.fixture.ts";
import type { Profile } from "../driver/scheduler.ts";
import { decodeSchedulerConfiguration } from "./scheduler-configuration.ts";

const head = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" };

function profileOf(profile: object): Profile {
  const [first] = decodeSchedulerConfiguration({ ...head, profiles: [profile] }).profiles;
  if (first === undefined) throw new Error("there is always a profile");
  return first;
}

const withArguments = (name: string, args: object) => profileOf({ pluginConfig: [{ name, args }] });

function scores(name: string, args: object, incoming = pod("p", { requests: { cpu: "1", memory: "1Gi" } })) {
  const found = withArguments(name, args).plugins.find(({ plugin }) => plugin.name === name);
  const nodes = [
    node("small", { allocatable: { cpu: "2", memory: "8Gi", "example.com/gpu": "2" } }),
    node("large", { allocatable: { cpu: "10", memory: "4Gi", "example.com/gpu": "4" } }),
  ];
  return found === undefined ? undefined : scoreAlone(found.plugin, incoming, { nodes });
}

const cpuOnly = [{ name: "cpu", weight: 1 }];
const gpu = pod("p", { requests: { cpu: "1", memory: "1Gi", "example.com/gpu": "1" } });
const shape = [
  { utilization: 0, score: 0 },
  { utilization: 100, score: 10 },
];

describe("the scores of", () => {
  // Shares that the pod uses: on small, cpu 1/2, memory 1/8, gpu 1/2; on large, cpu 1/10, memory 1/4, gpu 1/4.
  test.each([
    ["LeastAllocated, by default", "NodeResourcesFit", {}, undefined, { small: 68, large: 82 }],
    [
      "MostAllocated",
      "NodeResourcesFit",
      { scoringStrategy: { type: "MostAllocated", resources: cpuOnly } },
      undefined,
      { small: 50, large: 10 },
    ],
    [
      "LeastAllocated with weights",
      "NodeResourcesFit",
      { scoringStrategy: { type: "LeastAllocated", resources: [...cpuOnly, { name: "memory", weight: 3 }] } },
      undefined,
      { small: 77, large: 78 },
    ],
    [
      "RequestedToCapacityRatio",
      "NodeResourcesFit",
      {
        scoringStrategy: {
          type: "RequestedToCapacityRatio",
          requestedToCapacityRatio: { shape },
          resources: [...cpuOnly, { name: "memory", weight: 1 }],
        },
      },
      undefined,
      { small: 31, large: 18 },
    ],
    [
      "an extended resource that the pod does not request",
      "NodeResourcesFit",
      { scoringStrategy: { type: "MostAllocated", resources: [...cpuOnly, { name: "example.com/gpu", weight: 1 }] } },
      undefined,
      { small: 50, large: 10 },
    ],
    [
      "an extended resource that the pod requests",
      "NodeResourcesFit",
      { scoringStrategy: { type: "MostAllocated", resources: [{ name: "example.com/gpu", weight: 1 }] } },
      gpu,
      { small: 50, large: 25 },
    ],
    ["the balance of cpu and memory", "NodeResourcesBalancedAllocation", {}, undefined, { small: 65, large: 71 }],
    [
      "the balance of three resources",
      "NodeResourcesBalancedAllocation",
      { resources: [{ name: "cpu" }, { name: "memory" }, { name: "example.com/gpu" }] },
      gpu,
      { small: 66, large: 71 },
    ],
  ] as const)("%s", (_, name, args, incoming, expected) => {
    expect(scores(name, args, incoming)).toEqual(expected);
  });

  test("added preferred node affinity count with the pod's own", () => {
    const preference = { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] };
    const addedAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference }] };
    const found = withArguments("NodeAffinity", { addedAffinity }).plugins.find(
      ({ plugin }) => plugin.name === "NodeAffinity",
    );
    const nodes = [node("a"), node("b", { labels: { disk: "ssd" } })];
    expect(found === undefined ? undefined : scoreAlone(found.plugin, pod("p"), { nodes })).toEqual({ a: 0, b: 100 });
  });
});

const full = { nodes: [node("n", { allocatable: { cpu: "1", pods: "10" } })] };
const tooBig = pod("p", { requests: { cpu: "2" } });

describe("a pod that fits nowhere is told", () => {
  const of = (...disabled: readonly string[]) =>
    profileOf({ plugins: { postFilter: { disabled: disabled.map((name) => ({ name })) } } });
  test.each([
    [
      "by default, what DynamicResources and preemption say",
      of(),
      "Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
    [
      "without DynamicResources, what preemption says",
      of("DynamicResources"),
      "Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
    [
      "without DefaultPreemption, what DynamicResources says",
      of("DefaultPreemption"),
      "Insufficient cpu. no new claims to deallocate",
    ],
    ["without both, nothing more", of("*"), "Insufficient cpu."],
  ])("%s", (_, profile, message) => {
    const { schedulerName: __, ...options } = profile;
    expect(schedule(tooBig, full, options)).toMatchObject({
      at: "unschedulable",
      message: `0/1 nodes are available: 1 ${message}`,
    });
  });
});

describe("a node is refused", () => {
  test("by the affinity that the profile adds", () => {
    const expression = { key: "disk", operator: "In", values: ["ssd"] };
    const terms = { nodeSelectorTerms: [{ matchExpressions: [expression] }] };
    const args = { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
    const { schedulerName: _, ...options } = withArguments("NodeAffinity", args);
    const cluster = { nodes: [node("n")] };
    expect(schedule(pod("p"), cluster, options)).toMatchObject({
      message: expect.stringContaining("1 node(s) didn't match scheduler-enforced node affinity."),
    });
    const fitting = { nodes: [node("n", { labels: { disk: "ssd" } })] };
    expect(schedule(pod("p"), fitting, options)).toMatchObject({ at: "scheduled", nodeName: "n" });
  });

  test("not for a resource that the profile ignores", () => {
    const wants = pod("p", { requests: { "example.com/gpu": "1" } });
    for (const args of [{ ignoredResources: ["example.com/gpu"] }, { ignoredResourceGroups: ["example.com"] }]) {
      const { schedulerName: _, ...options } = withArguments("NodeResourcesFit", args);
      expect(schedule(wants, { nodes: [node("n")] }, options)).toMatchObject({ at: "scheduled" });
    }
    expect(schedule(wants, { nodes: [node("n")] })).toMatchObject({ at: "unschedulable" });
  });

  test("not by a plugin that is disabled at filter, which may still refuse the pod as a whole", () => {
    const { schedulerName: _, ...options } = profileOf({
      plugins: { filter: { disabled: [{ name: "NodeResourcesFit" }] } },
    });
    expect(schedule(tooBig, full, options)).toMatchObject({ at: "scheduled" });
  });
});

test("plugins that are enabled again stand in the order given", () => {
  const names = ["PrioritySort", "DefaultBinder", "NodePorts", "NodeName"].map((name) => ({ name }));
  const { plugins, postFilters } = profileOf({
    plugins: { multiPoint: { disabled: [{ name: "*" }], enabled: names } },
  });
  expect(plugins.map(({ plugin }) => plugin.name)).toEqual(["NodePorts", "NodeName"]);
  expect(postFilters).toEqual([]);
});

test("a profile knows which plugins gate its pods, how far preemption looks, and how long volumes may take", () => {
  const { preEnqueues, preemption, volumeBindTimeoutMs } = profileOf({
    plugins: { preEnqueue: { disabled: [{ name: "SchedulingGates" }] } },
    pluginConfig: [
      { name: "DefaultPreemption", args: { minCandidateNodesPercentage: 20, minCandidateNodesAbsolute: 5 } },
      { name: "VolumeBinding", args: { bindTimeoutSeconds: 60 } },
    ],
  });
  expect([...(preEnqueues ?? [])].toSorted()).toEqual(["DefaultPreemption", "DynamicResources"]);
  expect(preemption).toMatchObject({ minCandidateNodesPercentage: 20, minCandidateNodesAbsolute: 5 });
  expect(volumeBindTimeoutMs).toBe(60_000);
});
