import type { TopologySpreadConstraint } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { type ClusterFacts, filterAlone, node, type PodFacts, pod, scoreAlone } from "../cluster.fixture.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";

const zone = "topology.kubernetes.io/zone";
const web = { app: "web" };
const nodes = [
  node("a1", { labels: { [zone]: "a" } }),
  node("a2", { labels: { [zone]: "a" }, taints: [{ key: "x", effect: "NoSchedule" }] }),
  node("b1", { labels: { [zone]: "b" } }),
  node("bare"),
];
const missing = "UU node(s) didn't match pod topology spread constraints (missing required label)";
const skew = "U node(s) didn't match pod topology spread constraints";

const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  topologyKey: zone,
  maxSkew: 1,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: web },
  ...more,
});
const spread = (...constraints: readonly TopologySpreadConstraint[]): PodFacts => ({
  labels: web,
  spec: { topologySpreadConstraints: constraints },
});
const webOn = (...names: readonly string[]) => names.map((on, index) => pod(`web-${index}`, { on, labels: web }));

test.each<[string, PodFacts, Partial<ClusterFacts>, Readonly<Record<string, string>>]>([
  ["without hard constraints it is skipped", { labels: web }, {}, { all: "skip" }],
  [
    "in an empty cluster every domain is open",
    spread(constraint()),
    {},
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "a domain that is one ahead is closed",
    spread(constraint()),
    { pods: webOn("a1") },
    { a1: skew, a2: skew, b1: "ok", bare: missing },
  ],
  [
    "with maxSkew 2 it is open",
    spread(constraint({ maxSkew: 2 })),
    { pods: webOn("a1") },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "a pod that its own selector does not match adds nothing",
    { ...spread(constraint()), labels: {} },
    { pods: webOn("a1") },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "terminating pods do not count",
    spread(constraint()),
    { pods: [pod("going", { on: "a1", labels: web, terminating: true })] },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "pods of other namespaces do not count",
    spread(constraint()),
    { pods: [pod("other", { on: "a1", labels: web, namespace: "other" })] },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "while there are fewer domains than minDomains, an empty one is assumed",
    spread(constraint({ minDomains: 3 })),
    { pods: webOn("a1", "b1") },
    { a1: skew, a2: skew, b1: skew, bare: missing },
  ],
  [
    "nodes outside the pod's node selector are not counted, so that their domain is no minimum",
    { labels: web, spec: { topologySpreadConstraints: [constraint()], nodeSelector: { [zone]: "a" } } },
    { pods: webOn("a1") },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "unless the constraint ignores node affinity",
    {
      labels: web,
      spec: {
        topologySpreadConstraints: [constraint({ nodeAffinityPolicy: "Ignore" })],
        nodeSelector: { [zone]: "a" },
      },
    },
    { pods: webOn("a1") },
    { a1: skew, a2: skew, b1: "ok", bare: missing },
  ],
  [
    "pods on tainted nodes are not counted if the constraint honours taints",
    spread(constraint({ nodeTaintsPolicy: "Honor" })),
    { pods: webOn("a2") },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "an empty selector counts no pod and never refuses",
    spread(constraint({ labelSelector: {} })),
    { pods: webOn("a1", "a1") },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
  [
    "matchLabelKeys count only pods with the same value",
    { ...spread(constraint({ matchLabelKeys: ["version"] })), labels: { ...web, version: "2" } },
    { pods: webOn("a1") },
    { a1: "ok", a2: "ok", b1: "ok", bare: missing },
  ],
])("filter: %s", (_, facts, cluster, expected) => {
  expect(filterAlone(podTopologySpread, pod("incoming", facts), { nodes, ...cluster })).toEqual(expected);
});

test("a pod that is added or removed changes a clone of the filter only", () => {
  const cluster = { nodes, pods: webOn("a1") };
  const [added] = webOn("b1");
  expect(added).toBeDefined();
  expect(filterAlone(changed(1), pod("incoming", spread(constraint())), cluster)).toMatchObject({ a1: "ok", b1: "ok" });
  expect(filterAlone(changed(-1), pod("incoming", spread(constraint())), cluster)).toMatchObject({
    a1: "ok",
    b1: "ok",
  });
  expect(filterAlone(changed(0), pod("incoming", spread(constraint())), cluster)).toMatchObject({ a1: skew, b1: "ok" });
});

/** The plugin with a web pod added to b1 (1) or the one on a1 removed (-1) in a clone; with 0 the clone is changed and thrown away. */
function changed(how: 1 | -1 | 0): typeof podTopologySpread {
  return {
    name: "changed",
    preFilter: (cycle) => {
      const result = podTopologySpread.preFilter?.(cycle);
      if (result === undefined || "refusal" in result) return result;
      const clone = result.filter.clone?.() ?? result.filter;
      // Asked before the change, too: what was computed for that answer must not outlive it.
      for (const each of cycle.snapshot.nodes) clone.filter(each);
      const podInfo = { ...cycle.pod, pod: pod("other", { labels: web }) };
      const [a1] = cycle.snapshot.nodes.filter(({ name }) => name === "a1");
      const [b1] = cycle.snapshot.nodes.filter(({ name }) => name === "b1");
      if (a1 !== undefined && how <= 0) clone.removePod?.(podInfo, a1);
      if (b1 !== undefined && how >= 0) clone.addPod?.(podInfo, b1);
      return { filter: how === 0 ? result.filter : clone };
    },
  };
}

const soft = (more: Partial<TopologySpreadConstraint> = {}) =>
  constraint({ whenUnsatisfiable: "ScheduleAnyway", ...more });
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: web },
} as const;

test.each<[string, PodFacts, Partial<ClusterFacts>, unknown]>([
  ["without soft constraints, services and owners there is nothing to score", { labels: web }, {}, "skip"],
  ["a pod with own constraints gets no defaults", spread(constraint()), { services: [service] }, "skip"],
  [
    "emptier domains score more; a node without the key scores 0",
    spread(soft()),
    { pods: webOn("a1") },
    { a1: 0, a2: 0, b1: 100, bare: 0 },
  ],
  ["if all are empty all score 100", spread(soft()), {}, { a1: 100, a2: 100, b1: 100, bare: 0 }],
  [
    "pods that a service selects are spread over hostnames and zones",
    { labels: web },
    { services: [service], pods: webOn("a1", "a1", "b1") },
    // Hostnames weigh ln 6 and zones ln 5, the node without a zone being one of its own: raw 13, 9, 9 and 2.
    { a1: 15, a2: 46, b1: 46, bare: 100 },
  ],
])("score: %s", (_, facts, cluster, expected) => {
  expect(scoreAlone(podTopologySpread, pod("incoming", facts), { nodes, ...cluster })).toEqual(expected);
});
