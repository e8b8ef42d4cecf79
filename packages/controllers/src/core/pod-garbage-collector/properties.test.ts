import { nodes, pods } from "@kubeloop/core/resources";
import { findPropertyFaults, newNode, newPod, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newPodGarbageCollector } from "./controller.ts";

const deletion = { deletionTimestamp: "2024-05-01T12:00:00Z", deletionGracePeriodSeconds: 30 };
const pod = (name: string, nodeName: string, phase: string, metadata: object = {}) =>
  stored(newPod(`shop/${name}`, { metadata, spec: { nodeName }, status: { phase } }));

test("the pod garbage collector is declared, idempotent, bounded and total", () => {
  const broken = stored(
    newNode("broken", { spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] } }),
  );
  const many = Array.from({ length: 20 }, (_, i) => pod(`ended-${i}`, "broken", i % 2 === 0 ? "Failed" : "Succeeded"));
  const worlds: readonly World[] = [
    [[pods, many]],
    [
      [nodes, [broken]],
      [
        pods,
        [pod("a", "broken", "Running", deletion), pod("b", "", "Pending", deletion), pod("c", "broken", "Running")],
      ],
    ],
    [[pods, [pod("d", "gone", "Running"), pod("e", "gone", "Succeeded")]]],
  ];
  // Without quarantine: the time of these worlds stands still. Two actions for each pod.
  const controller = newPodGarbageCollector({ terminatedThreshold: 5, quarantineMs: 0 });
  expect(findPropertyFaults(controller, worlds, { maxActions: 40 })).toEqual([]);
});
