import type { corev1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { defaultStorageClass } from "./default-storage-class.ts";

const classOf = (name: string, { isDefault = true, beta = "", year = 2024 } = {}) => ({
  kind: "StorageClass",
  apiVersion: "storage.k8s.io/v1",
  metadata: {
    name,
    creationTimestamp: `${year}-01-01T00:00:00Z`,
    annotations: { [`storageclass.${beta}kubernetes.io/is-default-class`]: String(isDefault) },
  },
});
const beta = { "volume.beta.kubernetes.io/storage-class": "fast" };

test.each([
  ["gets none where there is none", [], {}, {}, undefined],
  ["gets none where none is everybody's", [classOf("a", { isDefault: false })], {}, {}, undefined],
  ["gets everybody's", [classOf("a")], {}, {}, "a"],
  ["gets one by the old annotation, too", [classOf("a", { beta: "beta." })], {}, {}, "a"],
  ["gets the newest of several", [classOf("a"), classOf("b", { year: 2025 })], {}, {}, "b"],
  ["gets the first of those that are as new", [classOf("b"), classOf("a")], {}, {}, "a"],
  ["keeps the one it names", [classOf("a")], { storageClassName: "fast" }, {}, "fast"],
  ["keeps the one it does without", [classOf("a")], { storageClassName: "" }, {}, ""],
  ["keeps the one it names in the old way", [classOf("a")], {}, beta, undefined],
])("a claim %s", async (_, classes, spec, annotations, expected) => {
  const object = { kind: "PersistentVolumeClaim", apiVersion: "v1", metadata: { name: "a", annotations }, spec };
  const stored = { "storage.k8s.io/storageclasses": classes };
  const said = await askPlugin(defaultStorageClass, { object, resource: resourceOf("persistentvolumeclaims"), stored });
  expect((said.object as corev1.PersistentVolumeClaim).spec?.storageClassName).toBe(expected);
});
