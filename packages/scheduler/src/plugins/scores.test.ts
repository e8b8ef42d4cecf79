import { expect, test } from "vitest";
import { node, type PodFacts, pod, scoreAlone } from "../cluster.fixture.ts";
import { imageLocality } from "./image-locality.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { taintToleration } from "./taint-toleration.ts";

const avoid = (key: string) => ({ key, effect: "PreferNoSchedule" });
const mebibyte = 1024 * 1024;

test.each<[string, PodFacts, Readonly<Record<string, number>>]>([
  ["fewer untolerated taints score more", {}, { none: 100, one: 50, two: 0 }],
  [
    "a tolerated taint does not count",
    { spec: { tolerations: [{ key: "a", operator: "Exists" }] } },
    { none: 100, one: 100, two: 0 },
  ],
  [
    "a toleration of NoSchedule says nothing about a preference",
    { spec: { tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule" }] } },
    { none: 100, one: 50, two: 0 },
  ],
  [
    "if nothing is untolerated all score 100",
    { spec: { tolerations: [{ operator: "Exists" }] } },
    { none: 100, one: 100, two: 100 },
  ],
])("TaintToleration: %s", (_, facts, expected) => {
  const nodes = [
    node("none", { taints: [{ key: "a", effect: "NoSchedule" }] }),
    node("one", { taints: [avoid("a")] }),
    node("two", { taints: [avoid("a"), avoid("b")] }),
  ];
  expect(scoreAlone(taintToleration, pod("incoming", facts), { nodes })).toEqual(expected);
});

const preferred = (...terms: readonly [weight: number, disk: string][]): PodFacts => ({
  spec: {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, disk]) => ({
          weight,
          preference: { matchExpressions: [{ key: "disk", operator: "In", values: [disk] }] },
        })),
      },
    },
  },
});

test.each<[string, PodFacts, unknown]>([
  ["without preferred terms there is nothing to score", {}, "skip"],
  ["weights are scaled to the largest sum", preferred([3, "ssd"], [1, "hdd"]), { ssd: 100, hdd: 33, none: 0 }],
  ["a preference that no node meets leaves all at 0", preferred([3, "tape"]), { ssd: 0, hdd: 0, none: 0 }],
])("NodeAffinity: %s", (_, facts, expected) => {
  const nodes = [node("ssd", { labels: { disk: "ssd" } }), node("hdd", { labels: { disk: "hdd" } }), node("none")];
  expect(scoreAlone(nodeAffinity, pod("incoming", facts), { nodes })).toEqual(expected);
});

test.each<[string, PodFacts, Readonly<Record<string, number>>]>([
  [
    "an image counts by size and by the share of nodes that have it",
    { container: { image: "app:1" } },
    { big: 48, none: 0 },
  ],
  ["a name without a tag means latest", { container: { image: "example:5000/tool" } }, { big: 100, none: 0 }],
  ["an image that no node has scores nowhere", { container: { image: "other:1" } }, { big: 0, none: 0 }],
  [
    "an image volume counts like a container's image",
    { container: { image: "other:1" }, spec: { volumes: [{ name: "v", image: { reference: "app:1" } }] } },
    { big: 48, none: 0 },
  ],
])("ImageLocality: %s", (_, facts, expected) => {
  const images = { "app:1": 1000 * mebibyte, "example:5000/tool:latest": 5000 * mebibyte };
  const nodes = [node("big", { images }), node("none")];
  expect(scoreAlone(imageLocality, pod("incoming", facts), { nodes })).toEqual(expected);
});
