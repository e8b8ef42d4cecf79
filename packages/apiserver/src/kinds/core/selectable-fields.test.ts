// By which fields the kinds of the core group are found, and what those hold.
import type { KubernetesObject } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import type { KindRules } from "../kind-rules.ts";
import { namespaceRules } from "./namespace.ts";
import { nodeRules } from "./node.ts";
import { secretRules } from "./secret.ts";
import { serviceRules } from "./service.ts";

const meta = { apiVersion: "v1", metadata: { name: "x" } };

for (const [what, rules, object, values] of [
  ["a namespace", namespaceRules, { kind: "Namespace", status: { phase: "Active" } }, { "status.phase": "Active" }],
  ["a node", nodeRules, { kind: "Node" }, { "spec.unschedulable": "false" }],
  ["a cordoned node", nodeRules, { kind: "Node", spec: { unschedulable: true } }, { "spec.unschedulable": "true" }],
  ["a secret", secretRules, { kind: "Secret", type: "Opaque" }, { type: "Opaque" }],
  [
    "a service",
    serviceRules,
    { kind: "Service", spec: { clusterIP: "None", type: "ClusterIP" } },
    { "spec.clusterIP": "None", "spec.type": "ClusterIP" },
  ],
] as readonly (readonly [string, KindRules, object, Readonly<Record<string, string>>])[]) {
  describe(what, () => {
    test("is found by its fields", () => {
      expect(rules.selectableFields?.valuesOf({ ...meta, ...object } as KubernetesObject)).toEqual(values);
    });

    test("names all of them", () => {
      expect(rules.selectableFields?.names).toEqual(Object.keys(values));
    });

    test("says what it cannot be asked", () => {
      expect(rules.selectableFields?.unknownText?.("spec.x")).toBe("field label not supported: spec.x");
    });
  });
}

test("what is in no namespace is not found by one", () => {
  expect([namespaceRules, nodeRules].map(({ selectableFields }) => selectableFields?.hasNamespace)).toEqual([
    false,
    false,
  ]);
});
