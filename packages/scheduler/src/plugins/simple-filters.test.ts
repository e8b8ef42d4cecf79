import { expect, test } from "vitest";
import { filterAlone, node, type PodFacts, pod } from "../cluster.fixture.ts";
import type { Plugin } from "../framework/plugin.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { taintToleration } from "./taint-toleration.ts";

const cluster = {
  nodes: [
    node("plain", { labels: { disk: "ssd" } }),
    node("cordoned", { unschedulable: true }),
    node("tainted", { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] }),
    node("avoided", { taints: [{ key: "gpu", value: "yes", effect: "PreferNoSchedule" }] }),
  ],
  pods: [
    pod("server", { on: "plain", container: { ports: [{ containerPort: 1, hostPort: 80, hostIP: "10.0.0.1" }] } }),
    pod("all", { on: "cordoned", container: { ports: [{ containerPort: 1, hostPort: 80 }] } }),
  ],
};

const ports = (port: object): PodFacts => ({ container: { ports: [{ containerPort: 1, hostPort: 80, ...port }] } });
const required = (terms: readonly object[]): PodFacts => ({
  spec: {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms as never } },
    },
  },
});
const named = (...values: string[]) => ({ matchFields: [{ key: "metadata.name", operator: "In", values }] });

const cordoned = "UU node(s) were unschedulable";
const tainted = "UU node(s) had untolerated taint(s)";
const mismatch = "UU node(s) didn't match Pod's node affinity/selector";
const taken = "U node(s) didn't have free ports for the requested pod ports";
const ok = { plain: "ok", cordoned: "ok", tainted: "ok", avoided: "ok" };

test.each<[string, Plugin, PodFacts, Readonly<Record<string, string>>]>([
  ["a cordoned node takes no pod", nodeUnschedulable, {}, { ...ok, cordoned }],
  [
    "a cordoned node takes a pod that tolerates it",
    nodeUnschedulable,
    { spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] } },
    ok,
  ],
  ["a pod that names no node is none of NodeName's business", nodeName, {}, { all: "skip" }],
  [
    "a pod that names a node goes nowhere else",
    nodeName,
    { on: "plain" },
    Object.fromEntries(
      Object.keys(ok).map((each) => [
        each,
        each === "plain" ? "ok" : "UU node(s) didn't match the requested node name",
      ]),
    ),
  ],
  ["only NoSchedule and NoExecute taints keep pods away", taintToleration, {}, { ...ok, tainted }],
  [
    "a toleration with the taint's value lets the pod in",
    taintToleration,
    { spec: { tolerations: [{ key: "gpu", value: "yes" }] } },
    ok,
  ],
  [
    "a toleration with another value does not",
    taintToleration,
    { spec: { tolerations: [{ key: "gpu", value: "no" }] } },
    { ...ok, tainted },
  ],
  ["without selector and affinity, NodeAffinity is skipped", nodeAffinity, {}, { all: "skip" }],
  [
    "a node selector keeps out nodes without the label",
    nodeAffinity,
    { spec: { nodeSelector: { disk: "ssd" } } },
    { plain: "ok", cordoned: mismatch, tainted: mismatch, avoided: mismatch },
  ],
  [
    "an empty term matches no node",
    nodeAffinity,
    required([{}]),
    { plain: mismatch, cordoned: mismatch, tainted: mismatch, avoided: mismatch },
  ],
  [
    "terms that name no common node conflict",
    nodeAffinity,
    required([{ matchFields: [...named("plain").matchFields, ...named("tainted").matchFields] }]),
    { all: "UU pod affinity terms conflict" },
  ],
  ["without host ports, NodePorts is skipped", nodePorts, {}, { all: "skip" }],
  ["a host port on all addresses meets every address", nodePorts, ports({}), { ...ok, plain: taken, cordoned: taken }],
  [
    "on another address only the node whose pod has all addresses refuses",
    nodePorts,
    ports({ hostIP: "10.0.0.2" }),
    { ...ok, cordoned: taken },
  ],
  ["another protocol is another port", nodePorts, ports({ protocol: "UDP" }), ok],
])("%s", (_, plugin, facts, expected) => {
  expect(filterAlone(plugin, pod("incoming", facts), cluster)).toEqual(expected);
});

test("terms that name nodes narrow the search to them", () => {
  const incoming = pod("incoming", required([named("plain"), named("absent")]));
  const result = nodeAffinity.preFilter?.({ pod: { pod: incoming } } as never);
  expect(result).toMatchObject({ nodeNames: new Set(["plain", "absent"]) });
});

test("a term that names no node leaves the search as it is, because terms are ORed", () => {
  const anything = { matchExpressions: [{ key: "disk", operator: "Exists" }] };
  const result = nodeAffinity.preFilter?.({
    pod: { pod: pod("incoming", required([named("plain"), anything])) },
  } as never);
  expect(result).not.toHaveProperty("nodeNames");
});
