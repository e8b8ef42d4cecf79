import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";
import { expect, test } from "vitest";
import { type ClusterFacts, node, type PodFacts, pod, schedule } from "../cluster.fixture.ts";

const nodes = [node("a"), node("b")];
const on = (nodeName: string, name: string, facts: PodFacts = {}) =>
  pod(name, { on: nodeName, requests: { cpu: "4" }, ...facts });
const none = "no new claims to deallocate, preemption:";
const budget = (app: string, disruptionsAllowed: number, more: object = {}): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: app, namespace: "default" },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...more },
});

/** Returns `node: victims`, or what is appended to the message and what becomes of the nomination. */
function outcome(facts: PodFacts, cluster: Partial<ClusterFacts>): string {
  const incoming = pod("incoming", { requests: { cpu: "4" }, priority: 100, ...facts });
  const verdict = schedule(incoming, { nodes, ...cluster });
  if (verdict.at !== "unschedulable") return verdict.at;
  const { nomination, message } = verdict;
  if (typeof nomination !== "string") {
    return `${nomination.nodeName}: ${nomination.victims.map(({ pod: { metadata } }) => metadata.name).join(" ")}`;
  }
  return `${nomination}: ${message.slice(message.indexOf(none) + none.length + 1)}`;
}

test.each<[string, PodFacts, Partial<ClusterFacts>, string]>([
  [
    "a pod of lower priority is the victim",
    {},
    { pods: [on("a", "high", { priority: 200 }), on("b", "low")] },
    "b: low",
  ],
  [
    "pods of the same priority are no victims",
    {},
    { pods: [on("a", "one", { priority: 100 }), on("b", "two", { priority: 100 })] },
    "clear: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
  ],
  [
    "if the victims do not suffice, the filter's reason is said",
    {},
    {
      nodes: [node("a")],
      pods: [on("a", "high", { priority: 200, requests: { cpu: "1" } }), on("a", "low", { requests: { cpu: "3" } })],
    },
    "clear: 0/1 nodes are available: 1 Insufficient cpu.",
  ],
  [
    "nodes that no removal can help are not tried",
    { requests: { cpu: "5" } },
    { pods: [on("a", "low")] },
    "clear: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  ],
  [
    "with the policy Never nothing is preempted, and a nomination stays",
    { spec: { preemptionPolicy: "Never" } },
    { pods: [on("a", "low"), on("b", "low too")] },
    "keep: not eligible due to preemptionPolicy=Never.",
  ],
  [
    "while victims on the nominated node terminate, no others are taken",
    { nominatedNodeName: "a" },
    {
      pods: [
        on("a", "going", {
          terminating: true,
          status: {
            conditions: [
              { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", lastTransitionTime: null },
            ],
          } as never,
        }),
        on("b", "low"),
      ],
    },
    "keep: not eligible due to a terminating pod on the nominated node.",
  ],
  [
    "a pod that terminates for another reason does not stop it",
    { nominatedNodeName: "a" },
    { pods: [on("a", "going", { terminating: true, priority: 1 }), on("b", "low", { priority: 0 })] },
    "b: low",
  ],
  [
    "as many as possible stay, the more important ones first",
    { requests: { cpu: "2" } },
    {
      nodes: [node("a")],
      pods: [1, 2, 3, 4].map((priority) => on("a", `p${priority}`, { priority, requests: { cpu: "1" } })),
    },
    "a: p2 p1",
  ],
  [
    "of equal priorities those that run longer stay",
    { requests: { cpu: "2" } },
    {
      nodes: [node("a")],
      pods: ["03", "01", "02", "04"].map((day) =>
        on("a", `day${day}`, { startTime: `2025-01-${day}T00:00:00Z`, requests: { cpu: "1" } }),
      ),
    },
    "a: day03 day04",
  ],
  [
    "a pod whose budget is spent stays before a more important one",
    { requests: { cpu: "2" } },
    {
      nodes: [node("a")],
      pods: [
        on("a", "guarded", { labels: { app: "db" }, requests: { cpu: "2" } }),
        on("a", "important", { priority: 50, requests: { cpu: "2" } }),
      ],
      budgets: [budget("db", 0)],
    },
    "a: important",
  ],
  [
    "a node without a violated budget is preferred to one with less important victims",
    {},
    {
      pods: [on("a", "guarded", { labels: { app: "db" } }), on("b", "free", { priority: 50 })],
      budgets: [budget("db", 0)],
    },
    "b: free",
  ],
  [
    "a budget that allows one disruption is not violated by one",
    {},
    {
      pods: [on("a", "guarded", { labels: { app: "db" } }), on("b", "free", { priority: 50 })],
      budgets: [budget("db", 1)],
    },
    "a: guarded",
  ],
  [
    "a pod that is being disrupted already does not spend the budget again",
    {},
    {
      pods: [on("a", "guarded", { labels: { app: "db" } }), on("b", "free", { priority: 50 })],
      budgets: [budget("db", 0, { disruptedPods: { guarded: "2026-01-01T00:00:00Z" } })],
    },
    "a: guarded",
  ],
  [
    "the node whose most important victim is least important wins",
    {},
    { pods: [on("a", "nine", { priority: 9 }), on("b", "three", { priority: 3 })] },
    "b: three",
  ],
  [
    "then the smaller sum of priorities, in which every victim counts",
    {},
    {
      pods: [
        on("a", "a1", { priority: -5, requests: { cpu: "2" } }),
        on("a", "a2", { priority: -9, requests: { cpu: "2" } }),
        on("b", "b1", { priority: -5 }),
      ],
    },
    "b: b1",
  ],
  [
    "then the fewer victims, which a victim of the lowest priority there is makes a difference for",
    {},
    {
      pods: [
        on("a", "a1", { priority: -5, requests: { cpu: "2" }, startTime: "2025-01-02T00:00:00Z" }),
        on("a", "a2", { priority: -(2 ** 31), requests: { cpu: "2" }, startTime: "2025-01-02T00:00:00Z" }),
        on("b", "b1", { priority: -5, startTime: "2025-01-01T00:00:00Z" }),
      ],
    },
    "b: b1",
  ],
  [
    "then the node whose victims started last",
    {},
    {
      pods: [
        on("a", "old", { startTime: "2025-01-01T00:00:00Z" }),
        on("b", "young", { startTime: "2025-01-02T00:00:00Z" }),
      ],
    },
    "b: young",
  ],
  [
    "a victim goes for its anti-affinity, too",
    { labels: { app: "web" }, requests: {} },
    {
      nodes: [node("a")],
      pods: [
        on("a", "hermit", {
          requests: {},
          spec: {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
                ],
              },
            },
          },
        }),
        on("a", "bystander", { requests: {} }),
      ],
    },
    "a: hermit",
  ],
])("%s", (_, facts, cluster, expected) => {
  expect(outcome(facts, cluster)).toBe(expected);
});

test("victims that help leave the message without a word about preemption", () => {
  const cluster = { nodes, pods: [on("a", "low"), on("b", "high", { priority: 200 })] };
  expect(schedule(pod("incoming", { requests: { cpu: "4" }, priority: 100 }), cluster)).toMatchObject({
    message: "0/2 nodes are available: 2 Insufficient cpu.",
  });
});
