import { expect, test } from "vitest";
import { node, pod } from "../cluster.fixture.ts";
import { Snapshot } from "./snapshot.ts";

const inZone = (name: string, zone: string) => node(name, { labels: { "topology.kubernetes.io/zone": zone } });
const names = (snapshot: Snapshot) => snapshot.nodes.map(({ name }) => name);
const antiAffine = {
  spec: {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", labelSelector: {} }],
      },
    },
  },
} as const;

test("zones take turns in the order in which they appeared", () => {
  const snapshot = new Snapshot();
  for (const [name, zone] of [
    ["a0", "a"],
    ["a1", "a"],
    ["b0", "b"],
    ["a2", "a"],
    ["b1", "b"],
    ["c0", "c"],
  ] as const) {
    snapshot.setNode(inZone(name, zone));
  }
  expect(names(snapshot)).toEqual(["a0", "b0", "c0", "a1", "b1", "a2"]);
});

test("a zone that loses its last node begins anew at the end", () => {
  const snapshot = new Snapshot();
  for (const [name, zone] of [
    ["a0", "a"],
    ["b0", "b"],
  ] as const)
    snapshot.setNode(inZone(name, zone));
  expect(names(snapshot)).toEqual(["a0", "b0"]);
  snapshot.removeNode("a0");
  expect(names(snapshot)).toEqual(["b0"]);
  snapshot.setNode(inZone("a0", "a"));
  expect(names(snapshot)).toEqual(["b0", "a0"]);
});

test("a node that changes its zone keeps its position until a node comes or goes, as upstream", () => {
  const snapshot = new Snapshot();
  for (const [name, zone] of [
    ["a0", "a"],
    ["a1", "a"],
    ["b0", "b"],
  ] as const)
    snapshot.setNode(inZone(name, zone));
  expect(names(snapshot)).toEqual(["a0", "b0", "a1"]);
  snapshot.setNode(inZone("a0", "b"));
  expect(names(snapshot)).toEqual(["a0", "b0", "a1"]);
  snapshot.setNode(inZone("c0", "c"));
  expect(names(snapshot)).toEqual(["a1", "b0", "c0", "a0"]);
});

test("sums follow pods that come, change and go", () => {
  const snapshot = new Snapshot();
  snapshot.setNode(node("n"));
  const facts = { on: "n", container: { ports: [{ containerPort: 1, hostPort: 80 }] } };
  snapshot.setPod(pod("p", { ...facts, requests: { cpu: "1", "example.com/gpu": "2" } }));
  const sums = () => {
    const found = snapshot.get("n");
    return [
      found?.requestedMilliCpu,
      found?.nonZeroMemory,
      found?.requestedScalar("example.com/gpu"),
      found?.ports?.size,
    ];
  };
  expect(sums()).toEqual([1000, 200 * 1024 * 1024, 2, 1]);
  snapshot.setPod(pod("p", { on: "n", requests: { cpu: "2", memory: "1" } }));
  expect(sums()).toEqual([2000, 1, 0, 0]);
  snapshot.removePod("uid-of-p");
  expect(sums()).toEqual([0, 0, 0, 0]);
});

test("a pod on an unknown node is counted when the node comes, and again after it has gone and come back", () => {
  const snapshot = new Snapshot();
  snapshot.setPod(pod("p", { on: "n" }));
  expect(names(snapshot)).toEqual([]);
  snapshot.setNode(node("n"));
  expect(snapshot.get("n")?.podCount).toBe(1);
  snapshot.removeNode("n");
  snapshot.setNode(node("n"));
  expect(snapshot.get("n")?.podCount).toBe(1);
  snapshot.removePod("uid-of-p");
  expect(snapshot.get("n")?.podCount).toBe(0);
});

test("nodes with pods that have affinity are listed as long as there are such pods", () => {
  const snapshot = new Snapshot();
  for (const name of ["a", "b"]) snapshot.setNode(node(name));
  snapshot.setPod(pod("p", { on: "a", ...antiAffine }));
  const listed = () =>
    [...snapshot.nodesWithAffinity, ...snapshot.nodesWithRequiredAntiAffinity].map(({ name }) => name);
  expect(listed()).toEqual(["a", "a"]);
  snapshot.removePod("uid-of-p");
  expect(listed()).toEqual([]);
});

test("images are counted over nodes, with the size that was told first", () => {
  const snapshot = new Snapshot();
  snapshot.setNode(node("a", { images: { "app:1": 10 } }));
  snapshot.setNode(node("b", { images: { "app:1": 20 } }));
  expect(snapshot.image("app:1")).toEqual({ size: 10, nodes: new Set(["a", "b"]) });
  snapshot.setNode(node("a"));
  expect(snapshot.image("app:1")?.nodes).toEqual(new Set(["b"]));
  snapshot.removeNode("b");
  expect(snapshot.image("app:1")).toBeUndefined();
});

test("a count over a node's pods is asked for again only after a pod came or went", () => {
  const snapshot = new Snapshot();
  snapshot.setNode(node("n"));
  for (const name of ["p", "q"]) snapshot.setPod(pod(name, { on: "n" }));
  let asked = 0;
  const count = () =>
    snapshot.get("n")?.countPods("all", () => {
      asked++;
      return true;
    });
  expect([count(), count(), asked]).toEqual([2, 2, 2]);
  snapshot.setPod(pod("p", { on: "n", terminating: true }));
  expect([count(), asked]).toEqual([2, 4]);
});
