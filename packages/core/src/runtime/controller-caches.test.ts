// What a read of a controller's caches costs, counted; which caches it reads is tested with the driver (testing/contract).
import { describe, expect, test } from "vitest";
import { configMaps, pods } from "../api/generated/resources.ts";
import { type corev1, type KubernetesObject, keyOf } from "../api/index.ts";
import { defineIndex, itself } from "../contract/index.ts";
import { newIndexer, type SharedIndexInformer } from "../informer/index.ts";
import { ControllerCaches } from "./controller-caches.ts";

const byOwner = defineIndex("owner", pods, ({ metadata }) => [metadata.labels?.["owner"] ?? ""]);

function pod(i: number, owner: string): KubernetesObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: `pod-${i}`, labels: { owner } } };
}

/** Caches of so many pods, three of which are "mine", and a count of the objects that reads have returned. */
function cachesOf(size: number) {
  const indexer = newIndexer<KubernetesObject>(keyOf, { owner: (object) => byOwner.valuesOf(object as corev1.Pod) });
  for (let i = 0; i < size; i++) indexer.add(pod(i, i < 3 ? "mine" : `other-${i}`));
  let touched = 0;
  const counted = <R>(objects: R): R => {
    touched += Array.isArray(objects) ? objects.length : 1;
    return objects;
  };
  const counting = {
    getByKey: (key: string) => counted(indexer.getByKey(key)),
    list: () => counted(indexer.list()),
    byIndex: (name: string, value: string) => counted(indexer.byIndex(name, value)),
    getIndexers: () => indexer.getIndexers(),
    resourceVersion: "1",
  };
  const informer = { getIndexer: () => counting, hasSynced: () => true, isStopped: () => false };
  const caches = new ControllerCaches();
  caches.add(itself(pods), informer as unknown as SharedIndexInformer<KubernetesObject>, () => true);
  return { caches, touched: () => touched };
}

describe("what a read costs does not depend on the size of the cache", () => {
  for (const [name, read] of [
    ["by key", (caches: ControllerCaches) => caches.get(pods, "shop/pod-1")],
    ["by index", (caches: ControllerCaches) => caches.byIndex(byOwner, "mine")],
  ] as const) {
    test(name, () => {
      const [small, large] = [cachesOf(10), cachesOf(10_000)];
      expect(read(large.caches)).toEqual(read(small.caches));
      expect(large.touched()).toBe(small.touched());
    });
  }

  test("and what is not watched is refused", () => {
    expect(() => cachesOf(1).caches.get(configMaps, "shop/a")).toThrow("configmaps are read but not watched");
  });
});
