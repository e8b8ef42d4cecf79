import type { Namespace, PodAffinityTerm } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { type ClusterFacts, filterAlone, node, type PodFacts, pod, scoreAlone } from "../cluster.fixture.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";

const zone = "topology.kubernetes.io/zone";
const nodes = [
  node("a1", { labels: { [zone]: "a" } }),
  node("a2", { labels: { [zone]: "a" } }),
  node("b1", { labels: { [zone]: "b" } }),
  node("bare"),
];
const near = "UU node(s) didn't match pod affinity rules";
const far = "U node(s) didn't match pod anti-affinity rules";
const existing = "U node(s) didn't satisfy existing pods anti-affinity rules";
const ok = { a1: "ok", a2: "ok", b1: "ok", bare: "ok" };

const db = { app: "db" };
const term = (more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: zone,
  labelSelector: { matchLabels: db },
  ...more,
});
type Kind = "podAffinity" | "podAntiAffinity";
const required = (kind: Kind, ...terms: readonly PodAffinityTerm[]): PodFacts => ({
  spec: { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
});
const preferred = (kind: Kind, weight: number, podAffinityTerm = term()): PodFacts => ({
  spec: {
    affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
  },
});
const dbOn = (on: string, facts: PodFacts = {}) => pod(`db-${on}`, { on, labels: db, ...facts });
const namespaces: readonly Namespace[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", labels: { team: "red" } } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "other", labels: { team: "blue" } } },
];

test.each<[string, PodFacts, Partial<ClusterFacts>, Readonly<Record<string, string>>]>([
  ["without any terms it is skipped", {}, { pods: [dbOn("a1")] }, { all: "skip" }],
  [
    "affinity wants the domain of a matching pod",
    required("podAffinity", term()),
    { pods: [dbOn("a1")] },
    { a1: "ok", a2: "ok", b1: near, bare: near },
  ],
  [
    "a terminating pod is still near",
    required("podAffinity", term()),
    { pods: [dbOn("a1", { terminating: true })] },
    { a1: "ok", a2: "ok", b1: near, bare: near },
  ],
  [
    "one pod must match all terms",
    required("podAffinity", term(), term({ labelSelector: { matchLabels: { tier: "back" } } })),
    { pods: [dbOn("a1"), pod("back", { on: "a2", labels: { tier: "back" } })] },
    { a1: near, a2: near, b1: near, bare: near },
  ],
  [
    "the first of its kind goes anywhere that has the key",
    { ...required("podAffinity", term()), labels: db },
    {},
    { a1: "ok", a2: "ok", b1: "ok", bare: near },
  ],
  [
    "but only if it matches its own terms",
    required("podAffinity", term()),
    {},
    { a1: near, a2: near, b1: near, bare: near },
  ],
  [
    "anti-affinity keeps out of the domain; a node without the key passes",
    required("podAntiAffinity", term()),
    { pods: [dbOn("a1")] },
    { a1: far, a2: far, b1: "ok", bare: "ok" },
  ],
  [
    "the anti-affinity of a pod that is there counts, too",
    { labels: db },
    { pods: [pod("hermit", { on: "b1", ...required("podAntiAffinity", term()) })] },
    { ...ok, b1: existing },
  ],
  [
    "a term is about the namespace of its pod",
    required("podAntiAffinity", term()),
    { pods: [dbOn("a1", { namespace: "other" })] },
    ok,
  ],
  [
    "or about the namespaces it names",
    required("podAntiAffinity", term({ namespaces: ["other"] })),
    { pods: [dbOn("a1", { namespace: "other" }), dbOn("b1")] },
    { ...ok, a1: far, a2: far },
  ],
  [
    "or about those its selector matches",
    required("podAntiAffinity", term({ namespaceSelector: { matchLabels: { team: "blue" } } })),
    { namespaces, pods: [dbOn("a1", { namespace: "other" }), dbOn("b1")] },
    { ...ok, a1: far, a2: far },
  ],
  [
    "an empty namespace selector means all",
    required("podAntiAffinity", term({ namespaceSelector: {} })),
    { pods: [dbOn("a1", { namespace: "other" }), dbOn("b1")] },
    { a1: far, a2: far, b1: far, bare: "ok" },
  ],
  [
    "a namespace selector of a pod that is there is matched with the labels of the incoming pod's namespace",
    { labels: db },
    {
      namespaces,
      pods: [
        pod("hermit", {
          on: "b1",
          namespace: "other",
          ...required("podAntiAffinity", term({ namespaceSelector: { matchLabels: { team: "red" } } })),
        }),
      ],
    },
    { ...ok, b1: existing },
  ],
  [
    "an absent label selector matches no pod",
    {
      spec: {
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone }] } },
      },
    },
    { pods: [dbOn("a1")] },
    ok,
  ],
])("filter: %s", (_, facts, cluster, expected) => {
  expect(filterAlone(interPodAffinity, pod("incoming", facts), { nodes, ...cluster })).toEqual(expected);
});

test.each<[string, PodFacts, Partial<ClusterFacts>, unknown]>([
  ["a term that meets nobody has nothing to score", preferred("podAffinity", 10), {}, "skip"],
  [
    "preferred affinity scores the domains of matching pods",
    preferred("podAffinity", 10),
    { pods: [dbOn("a1")] },
    { a1: 100, a2: 100, b1: 0, bare: 0 },
  ],
  [
    "preferred anti-affinity counts negative",
    preferred("podAntiAffinity", 10),
    { pods: [dbOn("a1")] },
    { a1: 0, a2: 0, b1: 100, bare: 100 },
  ],
  [
    "each matching pod counts",
    preferred("podAffinity", 10),
    { pods: [dbOn("a1"), dbOn("a2"), dbOn("b1")] },
    { a1: 100, a2: 100, b1: 50, bare: 0 },
  ],
  [
    "required affinity of a pod that is there counts 1, its preferred terms their weight",
    { labels: db },
    {
      pods: [
        pod("must", { on: "a1", ...required("podAffinity", term()) }),
        pod("may", { on: "b1", ...preferred("podAffinity", 4) }),
      ],
    },
    { a1: 25, a2: 25, b1: 100, bare: 0 },
  ],
  [
    "preferred anti-affinity of a pod that is there counts against its domain",
    { labels: db },
    { pods: [pod("rather not", { on: "b1", ...preferred("podAntiAffinity", 4) })] },
    { a1: 100, a2: 100, b1: 0, bare: 100 },
  ],
  [
    "weights that cancel out leave all at 0",
    preferred("podAffinity", 4),
    { pods: [dbOn("a1", preferred("podAntiAffinity", 4, term({ labelSelector: {} })))] },
    { a1: 0, a2: 0, b1: 0, bare: 0 },
  ],
])("score: %s", (_, facts, cluster, expected) => {
  expect(scoreAlone(interPodAffinity, pod("incoming", facts), { nodes, ...cluster })).toEqual(expected);
});
