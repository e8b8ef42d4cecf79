import type { corev1 } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { leases, nodes, pods } from "@kubeloop/core/resources";
import { newNode, newObject, newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { NodeMemory } from "./model.ts";
import { observeNode, observePass, observePod, podWatches } from "./observe.ts";

const node = (name: string, ready?: string) =>
  stored(newNode(name, { status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] } }));
const pod = (name: string, nodeName?: string) =>
  stored(newPod(`shop/${name}`, nodeName === undefined ? {} : { spec: { nodeName } }));
const anew = (object: corev1.Pod): corev1.Pod => ({ ...object, metadata: { ...object.metadata, uid: "another" } });
const world = {
  nodes: [node("up", "True"), node("down", "False"), node("lost", "Unknown")],
  pods: [pod("a", "up"), pod("b", "lost"), pod("c", "lost"), pod("d"), pod("e", "nowhere")],
};
const snapshot = plainSnapshot([
  [nodes, world.nodes],
  [pods, world.pods],
  [leases, [stored(newObject(leases, "kube-node-lease/up", { spec: { renewTime: "2030-01-01T00:00:00.000000Z" } }))]],
]);
const view = { snapshot, model: new NodeMemory(), nowMs: 7 };

describe("a pod is looked at", () => {
  const [ofPods, ofNodes] = podWatches("pods");
  const woken = (change: Change) => ofPods?.keysOf(change, snapshot);
  const add = (object: corev1.Pod, isInitial = false): Change => ({ type: "add", resource: pods, object, isInitial });
  test.each<[string, Change, readonly string[]]>([
    ["when it is made on a node that is not ready", add(pod("x", "down")), ["shop/x"]],
    ["when it is made on a node that is unknown", add(pod("b", "lost")), ["shop/b"]],
    ["when it is made on a node that is not there yet", add(pod("e", "nowhere")), ["shop/e"]],
    ["not when it is made on a node that is ready", add(pod("a", "up")), []],
    ["not when it is made without one", add(pod("d")), []],
    [
      "when it comes to a node",
      { type: "update", resource: pods, before: pod("a"), object: pod("a", "up") },
      ["shop/a"],
    ],
    [
      "when it was made anew under its name",
      { type: "update", resource: pods, before: pod("a", "up"), object: anew(pod("a", "up")) },
      ["shop/a"],
    ],
    [
      "not when something else changes",
      { type: "update", resource: pods, before: pod("a", "up"), object: pod("a", "up") },
      [],
    ],
    ["not when it is deleted", { type: "delete", resource: pods, object: pod("b", "lost") }, []],
    ["at the start, if its node is unknown", add(pod("b", "lost"), true), ["shop/b"]],
    ["not at the start, if its node is ready", add(pod("a", "up"), true), []],
    ["not at the start, if its node says itself that it is not", add(pod("x", "down"), true), []],
    ["not at the start, if its node is not there", add(pod("e", "nowhere"), true), []],
  ])("%s", (_fact, change, keys) => expect(woken(change)).toEqual(keys));

  const update = (before: string | undefined, after: string): Change => ({
    type: "update",
    resource: nodes,
    before: node("lost", before),
    object: node("lost", after),
  });
  test.each<[string, Change, boolean]>([
    ["when its node becomes unknown", update("True", "Unknown"), true],
    ["not when its node reports to be not ready", update("True", "False"), false],
    ["not when its node was not ready before", update("False", "Unknown"), false],
    ["not when its node never reported", update(undefined, "Unknown"), false],
    ["not when its node stays unknown", update("Unknown", "Unknown"), false],
  ])("%s", (_fact, change, isLookedAt) => {
    expect(ofNodes?.when?.(change, snapshot)).toBe(isLookedAt);
    expect(new Set(ofNodes?.keysOf(change, snapshot))).toEqual(new Set(["shop/b", "shop/c"]));
  });
});

test("a pass sees every node, with its lease", () => {
  const { all, gone } = observePass("", view);
  expect(
    all.map(({ node: { metadata }, health, isNew }) => [metadata.name, health.renewedAtMs !== undefined, isNew]),
  ).toEqual([
    ["up", true, true],
    ["down", false, true],
    ["lost", false, true],
  ]);
  expect(gone).toEqual([]);
});

test("a pod is seen with its node; without one there is nothing to look at", () => {
  expect(observePod("shop/b", view)).toMatchObject({
    pod: { metadata: { name: "b" } },
    node: { metadata: { name: "lost" } },
  });
  for (const key of ["shop/d", "shop/e", "shop/none"]) expect(observePod(key, view)).toBeUndefined();
});

test("a node is seen by its name", () => {
  expect(observeNode("up", view)?.metadata.name).toBe("up");
  expect(observeNode("none", view)).toBeUndefined();
});
