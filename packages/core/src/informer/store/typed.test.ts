// What the compiler knows about stores and indexes: objects keep their type all the way, without casts.
import { describe, expect, expectTypeOf, test } from "vitest";
import type { corev1 } from "../../api/index.ts";
import { everythingSelector } from "../../api/index.ts";
import { IndexedStore, newIndexer } from "./indexed-store.ts";
import { metaNamespaceKeyFunc, namespaceIndexers } from "./key-functions.ts";
import { listAllByNamespace } from "./lister-functions.ts";
import type { Indexer, Indexers, ReadonlyIndexer } from "./store.ts";
import { stripManagedFields } from "./strip-managed-fields.ts";

type Pod = corev1.Pod;
const pod = (name: string, foo: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns", labels: { foo } },
  spec: { containers: [] },
});

const byFoo: Indexers<Pod> = { foo: (each) => [each.metadata.labels?.["foo"] ?? ""] };
const pods = [pod("pod1", "bar"), pod("pod2", "bar")] as const;
const filled = (): Indexer<Pod> => {
  const indexer = newIndexer<Pod>(metaNamespaceKeyFunc, byFoo);
  for (const each of pods) indexer.add(each);
  return indexer;
};

describe("an indexer of pods", () => {
  test("gives pods by an object", () => {
    const found = filled().index("foo", pods[0]);
    expectTypeOf(found).toEqualTypeOf<readonly Pod[]>();
    expect(found).toEqual(pods);
  });

  test("gives pods by a value", () => {
    const found = filled().byIndex("foo", "bar");
    expectTypeOf(found).toEqualTypeOf<readonly Pod[]>();
    expect(found).toEqual(pods);
  });

  test("tells of an index that does not exist", () => {
    expect(() => filled().byIndex("does-not-exist", "bar")).toThrow("does not exist");
  });

  test("takes functions of pods as further indexes", () => {
    const indexer = filled();
    indexer.addIndexers({
      name: (each) => {
        expectTypeOf(each).toEqualTypeOf<Pod>();
        return [each.metadata.name ?? ""];
      },
    });
    expect(indexer.byIndex("name", "pod1")).toEqual([pods[0]]);
  });
});

describe("functions of more general objects", () => {
  test("index pods", () => {
    const indexers: Indexers<Pod> = { ...namespaceIndexers, ...byFoo };
    expectTypeOf(namespaceIndexers).toExtend<Indexers<Pod>>();
    expect(indexers["namespace"]?.(pods[0])).toEqual(["ns"]);
  });

  test("transform and list pods", () => {
    const store = new IndexedStore<Pod>({ indexers: namespaceIndexers, transform: stripManagedFields() });
    store.replace(pods, "1");
    const listed = listAllByNamespace(store, "ns", { selector: everythingSelector });
    expectTypeOf(listed).toEqualTypeOf<readonly Pod[]>();
    expectTypeOf(store).toExtend<ReadonlyIndexer<Pod>>();
    expect(listed).toEqual(pods);
  });
});

test("functions of pods stay what they are, whoever calls them", () => {
  const names: Indexers<Pod> = { name: (each) => [each.metadata.name ?? ""] };
  expect(names["name"]?.(pods[0])).toEqual(["pod1"]);
});

test("functions of pods do not index anything else", () => {
  // @ts-expect-error A string has no labels.
  const wrong: Indexers<string> = byFoo;
  expect(Object.keys(wrong)).toEqual(["foo"]);
});
