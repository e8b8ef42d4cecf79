import type { corev1 } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import { newNode, newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { Evictions } from "./model.ts";
import { observe, observeNode, watches } from "./observe.ts";

const taint = (key: string, effect = "NoExecute"): corev1.Taint => ({ key, effect });
const node = (...taints: readonly corev1.Taint[]) => stored(newNode("n", { spec: { taints: [...taints] } }));
const clean = stored(newNode("clean", { spec: { taints: [taint("b", "NoSchedule")] } }));
const pod = (name: string, nodeName?: string, tolerations: readonly corev1.Toleration[] = []) =>
  stored(
    newPod(`shop/${name}`, {
      spec: { ...(nodeName === undefined ? {} : { nodeName }), tolerations: [...tolerations] },
    }),
  );
const snapshot = plainSnapshot([
  [nodes, [node(taint("a"), taint("b", "NoSchedule")), clean]],
  [pods, [pod("a", "n"), pod("b", "n"), pod("c"), pod("d", "gone")]],
]);

describe("for a pod", () => {
  const model = new Evictions();
  const eviction = { uid: "u", atMs: 7, isAnnounced: false };
  model.byPod.set("shop/over", eviction);
  const view = { snapshot, model, nowMs: 0 };
  test("it sees the NoExecute taints of its node", () => {
    expect(observe("shop/a", view)).toMatchObject({
      pod: { metadata: { name: "a" } },
      taints: [taint("a")],
      eviction: undefined,
    });
  });
  test("whose node is gone it sees none, which is not to say that there are none", () => {
    expect(observe("shop/d", view)).toMatchObject({ pod: { metadata: { name: "d" } }, taints: undefined });
  });
  test("that is gone it sees what is to be cancelled", () => {
    expect(observe("shop/over", view)).toEqual({ key: "shop/over", pod: undefined, taints: undefined, eviction });
  });
  test("without a node, or without anything, it sees nothing", () => {
    expect([observe("shop/c", view), observe("shop/none", view)]).toEqual([undefined, undefined]);
  });
  test("of a node it sees those of that node", () => {
    expect(observeNode("n", view)).toEqual(["shop/a", "shop/b"]);
  });
});

describe("it looks", () => {
  const [ofPods, ofNodes] = watches;
  const toleration: corev1.Toleration = { key: "a", operator: "Exists" };
  const podUpdate = (before: corev1.Pod, object: corev1.Pod): Change => ({
    type: "update",
    resource: pods,
    before,
    object,
  });
  test.each<[string, Change, boolean]>([
    ["at a pod that comes", { type: "add", resource: pods, object: pod("a", "n"), isInitial: false }, true],
    [
      "at a pod that is there at the start",
      { type: "add", resource: pods, object: pod("a", "n"), isInitial: true },
      true,
    ],
    [
      "at a pod of a node that is not known",
      { type: "add", resource: pods, object: pod("a", "gone"), isInitial: false },
      true,
    ],
    [
      "not at a pod that comes to a node without NoExecute taints",
      { type: "add", resource: pods, object: pod("a", "clean"), isInitial: false },
      false,
    ],
    ["not at a pod without a node", { type: "add", resource: pods, object: pod("a"), isInitial: false }, false],
    ["not at a pod that goes from such a node", { type: "delete", resource: pods, object: pod("a", "clean") }, false],
    ["at a pod that goes", { type: "delete", resource: pods, object: pod("a", "n") }, true],
    ["at a pod that is bound", podUpdate(pod("a"), pod("a", "n")), true],
    ["at a pod that tolerates something else", podUpdate(pod("a", "n"), pod("a", "n", [toleration])), true],
    [
      "at a pod that was made anew under its name",
      podUpdate(pod("a", "n"), { ...pod("a", "n"), metadata: { ...pod("a", "n").metadata, uid: "another" } }),
      true,
    ],
    [
      "not at a pod that changes otherwise",
      podUpdate(pod("a", "n", [toleration]), { ...pod("a", "n", [toleration]), status: { phase: "Running" } }),
      false,
    ],
  ])("%s", (_fact, change, expected) => expect(ofPods?.when?.(change, snapshot)).toBe(expected));

  const nodeUpdate = (before: corev1.Node, object: corev1.Node): Change => ({
    type: "update",
    resource: nodes,
    before,
    object,
  });
  test.each<[string, Change, boolean]>([
    [
      "at a node that comes with a taint",
      { type: "add", resource: nodes, object: node(taint("a")), isInitial: true },
      true,
    ],
    [
      "not at a node that comes without",
      { type: "add", resource: nodes, object: node(taint("a", "NoSchedule")), isInitial: true },
      false,
    ],
    ["at a node that is tainted", nodeUpdate(node(), node(taint("a"))), true],
    ["at a node that loses a taint", nodeUpdate(node(taint("a")), node()), true],
    [
      "not at a node that gets a taint of another effect",
      nodeUpdate(node(taint("a")), node(taint("a"), taint("b", "NoSchedule"))),
      false,
    ],
    ["not at a node that changes otherwise", nodeUpdate(node(taint("a")), { ...node(taint("a")), status: {} }), false],
    ["not at a node that goes", { type: "delete", resource: nodes, object: node(taint("a")) }, false],
  ])("%s", (_fact, change, expected) => {
    expect(ofNodes?.when?.(change, snapshot)).toBe(expected);
    expect(new Set(ofNodes?.keysOf(change, snapshot).map((wake) => JSON.stringify(wake)))).toEqual(
      new Set([JSON.stringify({ queue: "nodes", key: "n" })]),
    );
  });
});
