import { configMaps, namespaces } from "@kubeloop/core/resources";
import { findPropertyFaults, newConfigMap, newNamespace, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newRootCaCertificatePublisher } from "./controller.ts";

test("the root CA publisher is declared, idempotent, bounded and total", () => {
  const key = "shop/kube-root-ca.crt";
  const published = [
    [],
    [newConfigMap(key)],
    [newConfigMap(key, { data: { "ca.crt": "old", more: "x" } })],
    [newConfigMap(key, { data: { "ca.crt": "the authority" }, metadata: { annotations: { a: "b" } } })],
    [newConfigMap("bank/kube-root-ca.crt")],
  ];
  const worlds = ["Active", "Terminating"].flatMap((phase) =>
    published.map(
      (maps): World => [
        [namespaces, [stored(newNamespace("shop", { status: { phase } }))]],
        [configMaps, maps.map((map) => stored(map))],
      ],
    ),
  );
  const controller = newRootCaCertificatePublisher({ rootCa: "the authority" });
  expect(findPropertyFaults(controller, worlds, { maxActions: 1, maxPlans: 1 })).toEqual([]);
});
