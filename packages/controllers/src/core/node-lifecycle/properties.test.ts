import type { corev1 } from "@kubeloop/core/api";
import { leases, nodes, pods } from "@kubeloop/core/resources";
import { findPropertyFaults, newNode, newObject, newPod, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newNodeLifecycleController } from "./controller.ts";

const statuses = ["True", "False", "Unknown", undefined];
const node = (name: string, ready: string | undefined, taints: readonly corev1.Taint[]) =>
  stored(
    newNode(name, {
      metadata: { labels: { "topology.kubernetes.io/zone": name.slice(0, 1), "kubernetes.io/os": "linux" } },
      spec: { unschedulable: name.endsWith("1"), taints: [...taints] },
      status: {
        conditions: [
          ...(ready === undefined ? [] : [{ type: "Ready", status: ready, lastHeartbeatTime: "2030-01-01T00:00:00Z" }]),
          { type: "DiskPressure", status: name.endsWith("0") ? "True" : "False" },
        ],
      },
    }),
  );

test("node-lifecycle is declared, idempotent, bounded and total", () => {
  const taints: readonly corev1.Taint[][] = [
    [],
    [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }],
    [
      { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    ],
  ];
  const worlds = taints.flatMap((some) =>
    statuses.map((ready): World => {
      const all = [node("a0", ready, some), node("a1", "True", []), node("b0", ready, [])];
      const pod = stored(
        newPod("shop/web", { spec: { nodeName: "a0" }, status: { conditions: [{ type: "Ready", status: "True" }] } }),
      );
      const lease = stored(newObject(leases, "kube-node-lease/a0", { spec: { renewTime: "2030-01-01T00:00:00Z" } }));
      return [
        [nodes, all],
        [pods, [pod]],
        [leases, [lease]],
      ];
    }),
  );
  const keys = [
    { queue: "nodes", key: "a0" },
    { queue: "nodes", key: "b0" },
    { queue: "pods", key: "shop/web" },
    { queue: "passes", key: "" },
    { queue: "zones", key: ":\u0000:a" },
  ];
  expect(findPropertyFaults(newNodeLifecycleController(), worlds, { maxActions: 6, maxPlans: 1, keys })).toEqual([]);
});
