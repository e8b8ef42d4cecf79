import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import type { KubernetesObject } from "../api/index.ts";
import { cacheOf, deletionTimestamp, lost, lostGenerated, owner, pod, removed, written } from "./own-writes.fixture.ts";
import {
  commonLabels,
  ListedChildren,
  listQuery,
  objectQuery,
  originOf,
  type ScopedCache,
  settledBy,
} from "./settle-writes.ts";
import type { Expected, LostGenerated } from "./sightings.ts";

describe("settled by a live read of the object", () => {
  const holding = cacheOf([pod("a")]);
  const live = pod("a", { resourceVersion: "8" });
  for (const [name, expected, found, cache, settled] of [
    ["lost, and there: it must be seen", lost, live, cacheOf([]), [written("8")]],
    ["lost, and not there: nothing to wait for", lost, undefined, cacheOf([]), []],
    ["lost, not there, but cached: it must go", lost, undefined, holding, [removed({ removal: "found gone" })]],
    ["late, and there: goes on waiting", written("6"), live, cacheOf([]), [written("6")]],
    ["late, and gone: nothing to wait for", written("6"), undefined, cacheOf([]), []],
    ["late, gone, but cached: it must go", written("6"), undefined, holding, [removed({ removal: "found gone" })]],
    ["a late removal, gone: goes on waiting", removed(), undefined, holding, [removed()]],
    ["a removal that did not happen: it must be seen as it is", removed(), live, holding, [written("8", false)]],
    [
      "a removal, created anew: so must that",
      removed(),
      pod("a", { uid: "new", resourceVersion: "8" }),
      holding,
      [written("8", false)],
    ],
    [
      "marked, and terminating: goes on waiting",
      removed({ removal: "marked" }),
      pod("a", { deletionTimestamp }),
      holding,
      [removed({ removal: "marked" })],
    ],
    [
      "believed gone, but terminating: that is enough",
      removed(),
      pod("a", { deletionTimestamp }),
      holding,
      [removed({ removal: "gone or marked" })],
    ],
  ] as [string, Exclude<Expected, LostGenerated>, KubernetesObject | undefined, ScopedCache, Expected[]][]) {
    test(name, () => expect(settledBy(found, expected, cache)).toEqual(settled));
  }
});

describe("settled by a list", () => {
  const child = pod("web-1", { ownerReferences: [owner], resourceVersion: "8", generateName: "web-" });
  const foreign = pod("web-2", { ownerReferences: [{ ...owner, uid: "another" }], generateName: "web-" });
  const adopted = pod("adopted", { ownerReferences: [owner], resourceVersion: "9" });
  const expected = (key: string, version: string, isOwn = true): Expected => ({
    ...{ kind: "written", resource: pods, key, version, isOwn },
  });
  for (const [name, lostWrite, listed, settled] of [
    ["all its owner has, and nobody else's", lostGenerated(), [child, pod("b"), foreign], ["shop/web-1 8"]],
    ["however their names were chosen", lostGenerated(), [child, adopted], ["shop/web-1 8", "shop/adopted 9"]],
    [
      "without an owner: what its name begins with",
      lostGenerated({ ownerUid: undefined }),
      [child, pod("b")],
      ["shop/web-1 8"],
    ],
    ["nothing, where nothing was made", lostGenerated(), [pod("b")], []],
  ] as [string, LostGenerated, KubernetesObject[], string[]][]) {
    test(name, () => {
      const found = new ListedChildren(listed).of(lostWrite, cacheOf([]));
      expect(found.map(({ key, version }) => `${key} ${version}`)).toEqual(settled);
    });
  }

  test("what the cache has already is not the lost one", () => {
    const cache = cacheOf([pod("web-1", { resourceVersion: "7" })]);
    expect(new ListedChildren([child, adopted]).of(lostGenerated(), cache)).toEqual([
      expected("shop/web-1", "8", false),
      expected("shop/adopted", "9"),
    ]);
  });

  test("two creates for one owner are of one origin", () => {
    expect(originOf(lostGenerated({ generateName: "other-" }))).toBe(originOf(lostGenerated()));
    expect(originOf(lostGenerated({ ownerUid: "another" }))).not.toBe(originOf(lostGenerated()));
  });
});

describe("what is asked for", () => {
  test("as much as the watch shows", () => {
    const scope = { labelSelector: "tier", fieldSelector: "spec.nodeName=n" };
    expect(listQuery(scope, "shop")).toMatchObject({ labelSelector: "tier", fieldSelector: "spec.nodeName=n" });
    expect(listQuery(scope, "shop", { app: "web" })).toMatchObject({ labelSelector: "tier,app=web" });
    expect(listQuery({}, "shop")).toEqual({ namespace: "shop", view: "metadata" });
  });

  test("one object by name, where the watch has selectors", () => {
    expect(objectQuery({}, "shop/a")).toBeUndefined();
    expect(objectQuery({ labelSelector: "app=web" }, "shop/a")).toMatchObject({
      ...{ namespace: "shop", labelSelector: "app=web", fieldSelector: "metadata.name=a" },
    });
    expect(objectQuery({ fieldSelector: "spec.nodeName=n" }, "shop/a")).toMatchObject({
      fieldSelector: "spec.nodeName=n,metadata.name=a",
    });
  });

  for (const [name, labels, expected] of [
    ["the labels of one", [{ app: "web", tier: "1" }], { app: "web", tier: "1" }],
    [
      "those that all have alike",
      [{ app: "web", tier: "1" }, { app: "web", tier: "2" }, { app: "web" }],
      { app: "web" },
    ],
    ["none, where one has none", [{ app: "web" }, {}], {}],
    ["a few only", [{ a: "1", b: "2", c: "3", d: "4", e: "5" }], { a: "1", b: "2", c: "3", d: "4" }],
    ["none that a selector cannot say", [{ app: "not valid!", "a b": "c", empty: "", ok: "1" }], { ok: "1" }],
    ["none that is inherited", [{ constructor: "x" }, {}], {}],
  ] as [string, Record<string, string>[], Record<string, string>][]) {
    test(name, () => expect(commonLabels(labels.map((each) => lostGenerated({ labels: each })))).toEqual(expected));
  }
});
