import { configMaps, namespaces, nodes, pods, secrets } from "@kubeloop/core/resources";
import {
  findPropertyFaults,
  newConfigMap,
  newNamespace,
  newPod,
  newSecret,
  stored,
  type World,
} from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newNamespaceController } from "./controller.ts";

const deletionTimestamp = "2024-05-01T12:00:00Z";
const held = { metadata: { deletionTimestamp, finalizers: ["example.com/held"] } };
const shop = stored({
  ...newNamespace("shop", { metadata: { deletionTimestamp } }),
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Terminating" as const },
});
const served = { groups: [], resources: [namespaces, nodes, pods, configMaps, secrets], failures: new Map() };

test("the namespace controller is declared, idempotent, bounded and total", () => {
  const alive = [1, 2, 3].map((i) => stored(newConfigMap(`shop/c${i}`)));
  const worlds: readonly World[] = [
    [[namespaces, [shop]]],
    [
      [namespaces, [stored(newNamespace("shop"))]],
      [configMaps, alive],
    ],
    [
      [namespaces, [shop]],
      [pods, [stored(newPod("shop/p"))]],
      [configMaps, alive],
      [secrets, [stored(newSecret("shop/s"))]],
    ],
    [
      [namespaces, [shop]],
      [configMaps, [...alive, stored(newConfigMap("shop/held", held))]],
    ],
  ];
  // Pods; all else; the release.
  expect(findPropertyFaults(newNamespaceController(), worlds, { maxActions: 3, maxPlans: 4, served })).toEqual([]);
});
