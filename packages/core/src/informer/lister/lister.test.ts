import { describe, expect, expectTypeOf, test } from "vitest";
import { nodes, pods } from "../../api/generated/resources.ts";
import {
  type corev1,
  everythingSelector,
  isNotFound,
  type KubernetesObject,
  nothingSelector,
  parseSelector,
  type Selector,
  SelectorError,
} from "../../api/index.ts";
import { type Log, noLog } from "../../base/index.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { namespaceIndexers } from "../store/key-functions.ts";
import { Lister } from "./lister.ts";

const pod = (namespace: string, name: string, labels?: Record<string, string>): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name, ...(labels === undefined ? {} : { labels }) },
  spec: { containers: [] },
});

const content = [
  pod("shop", "web-1", { app: "web", tier: "front" }),
  pod("shop", "web-2", { app: "web" }),
  pod("shop", "db", { app: "db" }),
  pod("shop", "bare"),
  pod("blog", "web-1", { app: "web" }),
];

const byApp = (object: corev1.Pod) => Object.values(object.metadata.labels ?? {}).slice(0, 1);

function listerOf(objects: readonly corev1.Pod[] = content, log: Log = noLog, indexers = { ...namespaceIndexers }) {
  const store = new IndexedStore<corev1.Pod>({ indexers: { ...indexers, byApp } });
  store.replace(objects, "1");
  return { store, lister: new Lister(store, pods, { log }) };
}

const names = (objects: readonly KubernetesObject[]) =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();

describe("lists", () => {
  for (const [fact, selector, expected] of [
    ["everything without a selector", undefined, ["blog/web-1", "shop/bare", "shop/db", "shop/web-1", "shop/web-2"]],
    ["everything by an empty one", "", ["blog/web-1", "shop/bare", "shop/db", "shop/web-1", "shop/web-2"]],
    ["everything by the selector of everything", everythingSelector, names(content)],
    ["nothing by the selector of nothing", nothingSelector, []],
    ["what has a label", "app=web", ["blog/web-1", "shop/web-1", "shop/web-2"]],
    ["what has one of several values", "app in (web, db)", ["blog/web-1", "shop/db", "shop/web-1", "shop/web-2"]],
    ["what has no such label", "!app", ["shop/bare"]],
    ["by a selector that was read before", parseSelector("app=web,tier"), ["shop/web-1"]],
    ["nothing where nothing matches", "app=none", []],
  ] as const satisfies readonly (readonly [string, string | Selector | undefined, readonly string[]])[]) {
    test(fact, () => {
      expect(names(listerOf().lister.list(selector))).toEqual(expected);
      const inShop = expected.filter((name) => name.startsWith("shop/"));
      expect(names(listerOf().lister.namespace("shop").list(selector))).toEqual(inShop);
    });
  }

  test("nothing by the selector of nothing, without looking", () => {
    const { store } = listerOf();
    const indexer = Object.assign(Object.create(store) as typeof store, {
      list: () => expect.unreachable(),
      byIndex: () => expect.unreachable(),
    });
    const lister = new Lister(indexer, pods);
    expect([lister.list(nothingSelector), lister.namespace("shop").list(nothingSelector)]).toEqual([[], []]);
  });

  test("nothing of a namespace that has none", () => expect(listerOf().lister.namespace("gone").list()).toEqual([]));

  test("all namespaces under the empty name", () => {
    expect(names(listerOf().lister.namespace("").list("app=web"))).toEqual(["blog/web-1", "shop/web-1", "shop/web-2"]);
  });

  test("a selector that is none is refused", () => {
    expect(() => listerOf().lister.list("=")).toThrow(SelectorError);
    expect(() => listerOf().lister.namespace("shop").list("=")).toThrow(SelectorError);
  });

  test("arrays that are the caller's own", () => {
    const { lister } = listerOf();
    lister.list().length = 0;
    lister.namespace("shop").list().length = 0;
    lister.list("app=web").length = 0;
    expect(lister.list()).toHaveLength(5);
    expect(lister.namespace("shop").list()).toHaveLength(4);
  });

  test("objects that are the cache's own", () => expect(listerOf().lister.list("app=db")[0]).toBe(content[2]));
});

describe("reads one", () => {
  test("by its key", () => expect(listerOf().lister.get("shop/db")).toBe(content[2]));
  test("by namespace and name", () => expect(listerOf().lister.namespace("blog").get("web-1")).toBe(content[4]));
  test("as undefined where there is none", () => {
    expect(listerOf().lister.get("shop/gone")).toBeUndefined();
    expect(listerOf().lister.namespace("blog").get("db")).toBeUndefined();
  });

  test("by its name where it lives in no namespace", () => {
    const node: corev1.Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };
    const store = new IndexedStore<corev1.Node>({ indexers: namespaceIndexers });
    store.add(node);
    const lister = new Lister(store, nodes);
    expect(lister.get("n1")).toBe(node);
    expect(lister.namespace("").get("n1")).toBe(node);
    expect(() => lister.getOrThrow("n2")).toThrow('nodes "n2" not found');
  });

  test("as it is now", () => {
    const { store, lister } = listerOf();
    const shop = lister.namespace("shop");
    store.delete(pod("shop", "db"));
    expect(shop.get("db")).toBeUndefined();
    expect(names(shop.list())).toEqual(["shop/bare", "shop/web-1", "shop/web-2"]);
  });

  for (const [fact, read] of [
    ["by its key", (lister: Lister<corev1.Pod>) => lister.getOrThrow("shop/gone")],
    ["in a namespace", (lister: Lister<corev1.Pod>) => lister.namespace("shop").getOrThrow("gone")],
  ] as const) {
    test(`that must be there, ${fact}, or throws the server's NotFound`, () => {
      const { lister } = listerOf();
      expect(() => read(lister)).toThrow('pods "gone" not found');
      expect(() => read(lister)).toThrow(expect.toSatisfy(isNotFound));
    });
  }

  test("that must be there and is", () => {
    expect(listerOf().lister.getOrThrow("shop/db")).toBe(content[2]);
    expect(listerOf().lister.namespace("shop").getOrThrow("db")).toBe(content[2]);
  });
});

test("reads by an index, and refuses one that nobody added", () => {
  expect(names(listerOf().lister.byIndex("byApp", "db"))).toEqual(["shop/db"]);
  expect(() => listerOf().lister.byIndex("byNode", "n1")).toThrow();
});

describe("without an index by namespace", () => {
  const warnings: unknown[] = [];
  const log: Log = { ...noLog, warn: (...line) => warnings.push(line) };

  test("it still finds everything, and says once that it is slow", () => {
    const { lister } = listerOf(content, log, {});
    expect(names(lister.namespace("shop").list())).toEqual(["shop/bare", "shop/db", "shop/web-1", "shop/web-2"]);
    expect(names(lister.namespace("shop").list("app=web"))).toEqual(["shop/web-1", "shop/web-2"]);
    expect(warnings).toEqual([
      ["no namespace index: every list of one namespace scans all objects", { resource: "pods" }],
    ]);
  });
});

test("the types are the resource's own", () => {
  const { lister } = listerOf();
  expectTypeOf(lister.list("app=web")).toEqualTypeOf<corev1.Pod[]>();
  expectTypeOf(lister.namespace("shop").get("db")).toEqualTypeOf<corev1.Pod | undefined>();
});

describe("of a hundred thousand objects", () => {
  const many = Array.from({ length: 100_000 }, (_, i) => pod("shop", `p-${i}`, i % 10 === 0 ? { match: "true" } : {}));
  const { lister } = listerOf(many);

  for (const [fact, selector, expected] of [
    ["a tenth", "match=true", 10_000],
    ["all", "", 100_000],
    ["none", "match=false", 0],
  ] as const) {
    test(`${fact} is found`, () => {
      expect(lister.list(selector)).toHaveLength(expected);
      expect(lister.namespace("shop").list(selector)).toHaveLength(expected);
    });
  }
});
