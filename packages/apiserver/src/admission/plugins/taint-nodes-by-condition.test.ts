import type { corev1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const withValue = { ...notReady, value: "x" };
const noExecute = { ...notReady, effect: "NoExecute" };

test.each([
  ["a new node is not ready", undefined, [notReady]],
  ["its other taints stay", [noExecute], [noExecute, notReady]],
  ["one that says so itself is left alone", [withValue], [withValue]],
])("%s", async (_, taints, expected) => {
  const object = { kind: "Node", apiVersion: "v1", metadata: { name: "a" }, ...(taints && { spec: { taints } }) };
  const { object: node } = await askPlugin(taintNodesByCondition, { object, resource: resourceOf("nodes") });
  expect((node as corev1.Node).spec?.taints).toEqual(expected);
});
