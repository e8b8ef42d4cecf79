import { expect, test } from "vitest";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";

const namespace = (phase: string, metadata = {}) => ({
  kind: "Namespace",
  apiVersion: "v1",
  metadata: { name: "shop", ...metadata },
  status: { phase },
});
const active = { namespaces: [namespace("Active")] };
const terminating = { namespaces: [namespace("Terminating")] };
const marked = { namespaces: [namespace("Active", { deletionTimestamp: "2024-01-01T00:00:00Z" })] };
const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } };
const absent = 'namespaces "shop" not found';
const ending = "is forbidden: unable to create new content in namespace shop because it is being terminated";

test.each([
  ["a pod in a namespace that is there", { stored: active }, ""],
  ["a pod in none such", {}, absent],
  ["a pod in one that is going", { stored: terminating }, `pods "a" ${ending}`],
  ["a pod in one that was told to go", { stored: marked }, `pods "a" ${ending}`],
  [
    "a pod without a name yet",
    { stored: terminating, name: "", object: { ...pod, metadata: { generateName: "web-" } } },
    `pods "web-" ${ending}`,
  ],
  ["a change in one that is going", { stored: terminating, operation: "UPDATE" }, ""],
  ["a change in none such", { operation: "UPDATE" }, absent],
  ["a deletion in none such", { operation: "DELETE", object: undefined }, ""],
  ["a connection to a pod in none such", { operation: "CONNECT" }, ""],
  ["a node, which is in none", { namespace: "", resource: resourceOf("nodes") }, ""],
  ["an access review in none such", { resource: resourceOf("authorization.k8s.io/localsubjectaccessreviews") }, ""],
  ["a new namespace", { resource: resourceOf("namespaces"), name: "shop" }, ""],
] as const)("%s", async (_, told, refusal) => {
  expect((await askPlugin(namespaceLifecycle, { object: pod, ...told })).refusal).toBe(refusal);
});

test.each([
  ["default", 'namespaces "default" is forbidden: this namespace may not be deleted'],
  ["kube-system", 'namespaces "kube-system" is forbidden: this namespace may not be deleted'],
  ["kube-public", 'namespaces "kube-public" is forbidden: this namespace may not be deleted'],
  ["kube-node-lease", ""],
  ["shop", ""],
])("namespace %s is deleted", async (name, refusal) => {
  const told = { operation: "DELETE", resource: resourceOf("namespaces"), namespace: name, name } as const;
  expect((await askPlugin(namespaceLifecycle, told)).refusal).toBe(refusal);
});
