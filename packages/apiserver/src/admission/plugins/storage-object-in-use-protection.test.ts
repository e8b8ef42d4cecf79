import { expect, test } from "vitest";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";

test.each([
  ["persistentvolumes", undefined, ["kubernetes.io/pv-protection"]],
  ["persistentvolumeclaims", undefined, ["kubernetes.io/pvc-protection"]],
  ["storage.k8s.io/volumeattributesclasses", undefined, ["kubernetes.io/vac-protection"]],
  ["persistentvolumeclaims", ["a.b/c"], ["a.b/c", "kubernetes.io/pvc-protection"]],
  ["persistentvolumeclaims", ["kubernetes.io/pvc-protection"], ["kubernetes.io/pvc-protection"]],
  ["storage.k8s.io/storageclasses", undefined, undefined],
])("a new one of %s with the finalizers %j", async (collection, finalizers, expected) => {
  const object = { kind: "K", apiVersion: "v1", metadata: { name: "a", finalizers } };
  const said = await askPlugin(storageObjectInUseProtection, { object, resource: resourceOf(collection) });
  expect(said.object?.metadata.finalizers).toEqual(expected);
});
