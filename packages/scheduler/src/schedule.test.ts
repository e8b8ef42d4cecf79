import { expect, test } from "vitest";
import { type ClusterFacts, node, type PodFacts, pod, schedule, snapshotOf } from "./cluster.fixture.ts";
import { feasibleNodesToFind, type Verdict } from "./schedule.ts";

const said = (verdict: Verdict) => (verdict.at === "scheduled" ? `node ${verdict.nodeName}` : verdict.message);
const many = (count: number) => Array.from({ length: count }, (_, index) => node(`n${String(index).padStart(3, "0")}`));
const never = "no new claims to deallocate, preemption:";
const named = (...values: string[]): PodFacts => ({
  spec: {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: values.map((value) => ({
            matchFields: [{ key: "metadata.name", operator: "In", values: [value] }],
          })),
        },
      },
    },
  },
});

test.each<[string, PodFacts, ClusterFacts, string]>([
  ["without nodes it says so, and nothing about preemption", {}, { nodes: [] }, "no nodes available to schedule pods"],
  ["a single feasible node is taken", {}, { nodes: [node("a", { unschedulable: true }), node("b")] }, "node b"],
  ["of equal nodes the first found is taken", {}, { nodes: [node("a"), node("b"), node("c")] }, "node a"],
  [
    "the emptier node is better",
    { requests: { cpu: "1" } },
    { nodes: [node("a"), node("b")], pods: [pod("p", { on: "a", requests: { cpu: "1" } })] },
    "node b",
  ],
  [
    "only the first plugin that refuses a node names the reason",
    { requests: { cpu: "9" } },
    { nodes: [node("a", { unschedulable: true, taints: [{ key: "x", effect: "NoSchedule" }] })] },
    `0/1 nodes are available: 1 node(s) were unschedulable. ${never} 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`,
  ],
  [
    "reasons are sorted as text, not by number",
    { requests: { cpu: "9" } },
    {
      nodes: [
        ...many(10).map((each) => ({ ...each, spec: { unschedulable: true } })),
        ...["x", "y"].map((name) => node(name)),
      ],
    },
    `0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu. ${never} 0/12 nodes are available: 12 Preemption is not helpful for scheduling.`,
  ],
  [
    "nodes that a name set leaves out count as one reason",
    { ...named("a"), requests: { cpu: "9" } },
    { nodes: [node("a"), node("b"), node("c")] },
    `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${never} 0/3 nodes are available: 3 Preemption is not helpful for scheduling.`,
  ],
  [
    "names of absent nodes leave every node out",
    named("absent"),
    { nodes: [node("a")] },
    `0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${never} 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`,
  ],
  [
    "a refusal before any node is looked at ends in words of the devices plugin, as upstream",
    {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchFields: [
                    { key: "metadata.name", operator: "In", values: ["a"] },
                    { key: "metadata.name", operator: "In", values: ["b"] },
                  ],
                },
              ],
            },
          },
        },
      },
    },
    { nodes: [node("a")] },
    "0/1 nodes are available: pod affinity terms conflict. not found",
  ],
  [
    "a nominated pod takes its node although another is better",
    { nominatedNodeName: "a" },
    { nodes: [node("a"), node("b")], pods: [pod("p", { on: "a", requests: { cpu: "2" } })] },
    "node a",
  ],
  [
    "if the nominated node does not fit any more, all are searched",
    { nominatedNodeName: "a", requests: { cpu: "3" } },
    { nodes: [node("a"), node("b")], pods: [pod("p", { on: "a", requests: { cpu: "2" } })] },
    "node b",
  ],
  [
    "space is kept for nominated pods of the same priority",
    { requests: { cpu: "3" } },
    {
      nodes: [node("a"), node("b", { allocatable: { cpu: "3" } })],
      nominated: [pod("first", { nominatedNodeName: "a", requests: { cpu: "2" } })],
    },
    "node b",
  ],
  [
    "but not for those of lower priority",
    { requests: { cpu: "3" }, priority: 1 },
    {
      nodes: [node("a"), node("b", { unschedulable: true })],
      nominated: [pod("first", { nominatedNodeName: "a", requests: { cpu: "2" } })],
    },
    "node a",
  ],
])("%s", (_, facts, cluster, expected) => {
  expect(said(schedule(pod("incoming", facts), cluster))).toBe(expected);
});

test.each([
  [1, 1],
  [99, 99],
  [100, 100],
  [120, 100],
  [300, 144],
  [1000, 420],
  [5000, 500],
  [6000, 300],
])("of %i nodes, %i feasible ones are enough", (nodes, expected) => {
  expect(feasibleNodesToFind(nodes, 0)).toBe(expected);
});

test("a configured percentage is taken as it is, but at least a hundred nodes are", () => {
  expect(feasibleNodesToFind(1000, 70)).toBe(700);
  expect(feasibleNodesToFind(1000, 1)).toBe(100);
});

test("the next search begins where the last one ended", () => {
  const nodes = many(120);
  const starts: number[] = [];
  let startIndex = 0;
  for (let round = 0; round < 4; round++) {
    starts.push(startIndex);
    startIndex = schedule(pod("incoming"), { nodes }, { startIndex }).startIndex;
  }
  expect(starts).toEqual([0, 100, 80, 60]);
});

test("a search that looked at all nodes leaves the start where it is", () => {
  expect(schedule(pod("incoming"), { nodes: many(50) }, { startIndex: 7 }).startIndex).toBe(7);
});

test("the search begins at the start index and wraps", () => {
  expect(said(schedule(pod("incoming"), { nodes: many(3) }, { startIndex: 2 }))).toBe("node n002");
});

test("every plugin that refused a node is remembered, and those that narrowed the search", () => {
  const nodes = [node("a", { unschedulable: true }), node("b")];
  const verdict = schedule(pod("incoming", { ...named("a", "b"), requests: { cpu: "9" } }), { nodes });
  expect(verdict).toMatchObject({
    rejectingPlugins: new Set(["NodeAffinity", "NodeUnschedulable", "NodeResourcesFit"]),
  });
});

test("a cycle changes nothing in the snapshot", () => {
  const cluster = {
    nodes: [node("a")],
    pods: [pod("low", { on: "a", requests: { cpu: "3" } })],
    nominated: [pod("first", { nominatedNodeName: "a", priority: 5, requests: { cpu: "1" } })],
  };
  const snapshot = snapshotOf(cluster);
  schedule(pod("incoming", { priority: 5, requests: { cpu: "3" } }), cluster, { snapshot });
  expect(snapshot.get("a")).toMatchObject({ podCount: 1, requestedMilliCpu: 3000 });
});
