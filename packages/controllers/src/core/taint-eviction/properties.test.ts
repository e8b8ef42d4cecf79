import type { corev1 } from "@kubeloop/core/api";
import { nodes, pods } from "@kubeloop/core/resources";
import { findPropertyFaults, newNode, newPod, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newTaintEvictionController } from "./controller.ts";

test("taint-eviction is declared, idempotent, bounded and total", () => {
  const taints: readonly (readonly corev1.Taint[])[] = [
    [],
    [{ key: "a", effect: "NoExecute" }],
    [
      { key: "a", effect: "NoExecute" },
      { key: "b", effect: "NoSchedule" },
    ],
  ];
  const tolerations: readonly (readonly corev1.Toleration[])[] = [
    [],
    [{ key: "a", operator: "Exists", tolerationSeconds: 30 }],
    [{ operator: "Exists" }],
  ];
  const worlds = taints.flatMap((some) =>
    tolerations.map((its): World => {
      const node = stored(newNode("n", { spec: { taints: [...some] } }));
      const pod = stored(newPod("shop/web", { spec: { nodeName: "n", tolerations: [...its] } }));
      return [
        [nodes, [node]],
        [pods, [pod]],
      ];
    }),
  );
  const keys = [
    { queue: "pods", key: "shop/web" },
    { queue: "nodes", key: "n" },
  ];
  expect(findPropertyFaults(newTaintEvictionController(), worlds, { maxActions: 2, maxPlans: 1, keys })).toEqual([]);
});
