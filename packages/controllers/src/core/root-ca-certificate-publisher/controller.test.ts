import type { Change } from "@kubeloop/core/contract";
import { configMaps, namespaces } from "@kubeloop/core/resources";
import { newObject, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newRootCaCertificatePublisher } from "./controller.ts";
import { rootCaCertificatePublisherScenarios } from "./scenarios.contract.ts";

describe("the root CA publisher on the embedded server", () => {
  defineRuns(rootCaCertificatePublisherScenarios, (run) =>
    run(newRootCaCertificatePublisher({ rootCa: "the authority" })),
  );
});

describe("what wakes a namespace", () => {
  const namespace = (phase: "Active" | "Terminating") =>
    stored({ ...newObject(namespaces, "shop"), status: { phase } });
  const published = stored(newObject(configMaps, "shop/kube-root-ca.crt"));
  const [active, terminating] = [namespace("Active"), namespace("Terminating")];

  test.each<[string, Change, readonly string[]]>([
    ["it is new", { type: "add", resource: namespaces, object: terminating, isInitial: true }, ["shop"]],
    ["it changes", { type: "update", resource: namespaces, before: active, object: active }, ["shop"]],
    ["not that it is deleted", { type: "update", resource: namespaces, before: active, object: terminating }, []],
    ["not that it is gone", { type: "delete", resource: namespaces, object: terminating }, []],
    [
      "not its ConfigMap in a first list",
      { type: "add", resource: configMaps, object: published, isInitial: true },
      [],
    ],
    ["its ConfigMap is new", { type: "add", resource: configMaps, object: published, isInitial: false }, ["shop"]],
    ["its ConfigMap changes", { type: "update", resource: configMaps, before: published, object: published }, ["shop"]],
    ["its ConfigMap is gone", { type: "delete", resource: configMaps, object: published }, ["shop"]],
  ])("%s", (_what, change, expected) => {
    const snapshot = plainSnapshot([]);
    const woken = newRootCaCertificatePublisher({ rootCa: "" })
      .watchesFor(undefined)
      .filter(({ resource, when }) => resource === change.resource && when?.(change, snapshot) !== false)
      .flatMap(({ keysOf }) => keysOf(change, snapshot));
    expect(woken).toEqual(expected);
  });

  test("other ConfigMaps are not even read", () => {
    const selectors = newRootCaCertificatePublisher({ rootCa: "" })
      .watchesFor(undefined)
      .map(({ resource, fieldSelector }) => [resource.plural, fieldSelector]);
    expect(selectors).toEqual([
      ["namespaces", undefined],
      ["configmaps", "metadata.name=kube-root-ca.crt"],
    ]);
  });
});
