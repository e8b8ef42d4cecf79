import { describe, expect, test } from "vitest";
import { everythingSelector, nothingSelector, selectorFromLabels } from "../../api/index.ts";
import { type Log, noLog } from "../../base/index.ts";
import { IndexedStore } from "./indexed-store.ts";
import { namespaceIndexers } from "./key-functions.ts";
import { listAll, listAllByNamespace } from "./lister-functions.ts";
import { namesOf, type Pod, pod } from "./objects.fixture.ts";
import type { Indexers } from "./store.ts";

const matching = selectorFromLabels({ match: "true" });

describe("listing all", () => {
  const numbered = (count: number, matchCount: number) => {
    const store = new IndexedStore<Pod>();
    const objects = Array.from({ length: count }, (_, at) =>
      pod(`obj-${at}`, { labels: at < matchCount ? { match: "true" } : {} }),
    );
    store.replace(objects, "1");
    return store;
  };

  test.each([
    ["gives what matches", 10_000, 1000, matching, 1000],
    ["gives everything for an empty selector", 10_000, 0, everythingSelector, 10_000],
    ["gives nothing where nothing matches", 10_000, 0, matching, 0],
    ["gives nothing for a selector of nothing", 10_000, 10_000, nothingSelector, 0],
  ])("%s", (_, count, matchCount, selector, expected) => {
    expect(listAll(numbered(count, matchCount), selector)).toHaveLength(expected);
  });

  test("does not look at the store for a selector of nothing", () => {
    const store = new IndexedStore<Pod>();
    store.list = () => {
      throw new Error("looked");
    };
    expect(listAll(store, nothingSelector)).toEqual([]);
  });

  test("looks at no labels for a selector of everything", () => {
    const store = new IndexedStore<Pod>({ keyOf: () => "one" });
    const shy = {
      get metadata(): never {
        throw new Error("looked");
      },
    } as unknown as Pod;
    Object.assign(store, { list: () => [shy] });
    expect(listAll(store, everythingSelector)).toEqual([shy]);
  });
});

describe("listing a namespace", () => {
  const content = [
    pod("a", { namespace: "shop", labels: { match: "true" } }),
    pod("b", { namespace: "shop" }),
    pod("c", { namespace: "bank", labels: { match: "true" } }),
  ];
  const filled = (indexers: Indexers<Pod> = namespaceIndexers) => {
    const store = new IndexedStore<Pod>({ indexers });
    store.replace(content, "1");
    return store;
  };

  test.each([
    ["gives what is in it", "shop", everythingSelector, ["a", "b"]],
    ["gives what matches in it", "shop", matching, ["a"]],
    ["gives nothing for an empty one", "empty", everythingSelector, []],
    ["gives nothing for a selector of nothing", "shop", nothingSelector, []],
    ["gives all of them for no namespace", "", matching, ["a", "c"]],
  ])("%s", (_, namespace, selector, expected) => {
    expect(namesOf(listAllByNamespace(filled(), namespace, { selector }))).toEqual(expected);
    expect(namesOf(listAllByNamespace(filled({}), namespace, { selector }))).toEqual(expected);
  });

  test("looks at nothing but what is in it", () => {
    const store = filled();
    store.list = () => {
      throw new Error("looked at everything");
    };
    expect(listAllByNamespace(store, "shop", { selector: everythingSelector })).toBe(
      store.byIndex("namespace", "shop"),
    );
  });

  test("without the index says that it looked at everything, with it says nothing", () => {
    const warnings: unknown[] = [];
    const log: Log = { ...noLog, warn: (...warning) => warnings.push(warning) };
    listAllByNamespace(filled(), "shop", { selector: everythingSelector, log });
    listAllByNamespace(filled({}), "shop", { selector: everythingSelector, log });
    expect(warnings).toEqual([["no namespace index: scanning all objects", { namespace: "shop", objects: 3 }]]);
  });
});
