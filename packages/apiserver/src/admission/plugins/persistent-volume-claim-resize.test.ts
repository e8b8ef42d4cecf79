import { expect, test } from "vitest";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";

const claim = (storage: string, { storageClassName = "fast", phase = "Bound" } = {}) => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "shop" },
  spec: { storageClassName, resources: { requests: { storage } } },
  status: { phase },
});
const classOf = (name: string, allowVolumeExpansion?: boolean) => ({
  kind: "StorageClass",
  apiVersion: "storage.k8s.io/v1",
  metadata: { name },
  allowVolumeExpansion,
});
const forbidden = (why: string) => `persistentvolumeclaims "a" is forbidden: ${why}`;
const unbound = forbidden("Only bound persistent volume claims can be expanded");
const fixed = forbidden(
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
);

test.each([
  ["as large as before", claim("1Gi"), claim("1024Mi"), [], ""],
  ["smaller, which others refuse", claim("1Gi"), claim("1Mi"), [], ""],
  ["larger, where it can grow", claim("1Gi"), claim("2Gi"), [classOf("fast", true)], ""],
  ["larger, where nothing is said", claim("1Gi"), claim("2Gi"), [classOf("fast")], fixed],
  ["larger, where it cannot", claim("1Gi"), claim("2Gi"), [classOf("fast", false)], fixed],
  ["larger, without the class", claim("1Gi"), claim("2Gi"), [], fixed],
  ["larger, before it is bound", claim("1Gi", { phase: "Pending" }), claim("2Gi"), [classOf("fast", true)], unbound],
  [
    "larger, in another class",
    claim("1Gi", { storageClassName: "slow" }),
    claim("2Gi"),
    [classOf("fast", true)],
    fixed,
  ],
  [
    "larger, without any class",
    claim("1Gi", { storageClassName: "" }),
    claim("2Gi", { storageClassName: "" }),
    [classOf("fast", true)],
    fixed,
  ],
])("a claim that is %s", async (_, oldObject, object, classes, refusal) => {
  const stored = { "storage.k8s.io/storageclasses": classes };
  const resource = resourceOf("persistentvolumeclaims");
  const said = await askPlugin(persistentVolumeClaimResize, {
    operation: "UPDATE",
    object,
    oldObject,
    resource,
    stored,
  });
  expect(said.refusal).toBe(refusal);
});
