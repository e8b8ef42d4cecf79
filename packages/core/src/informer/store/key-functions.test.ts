import { describe, expect, test } from "vitest";
import { objectKeyOf } from "../../api/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import {
  deletionHandlingMetaNamespaceKeyFunc,
  explicitKey,
  metaNamespaceIndexFunc,
  metaNamespaceKeyFunc,
  objectName,
  splitMetaNamespaceKey,
} from "./key-functions.ts";
import { pod } from "./objects.fixture.ts";
import { KeyError } from "./store-errors.ts";

const key = objectKeyOf("shop", "web");

describe("keys", () => {
  test.each([
    ["an object in a namespace", pod("web", { namespace: "shop" }), "shop/web"],
    ["an object in none", pod("web"), "web"],
    ["an object in the empty one", pod("web", { namespace: "" }), "web"],
    ["a key in the place of an object", explicitKey(key), "shop/web"],
  ])("of %s", (_, object, expected) => {
    expect(metaNamespaceKeyFunc(object)).toBe(expected);
    expect(deletionHandlingMetaNamespaceKeyFunc(object)).toBe(expected);
  });

  test("of a tombstone is the one it carries, with an object or without", () => {
    const gone = [pod("other", { namespace: "else" }), undefined].map(
      (last) => new DeletedFinalStateUnknown(key, last),
    );
    expect(gone.map(deletionHandlingMetaNamespaceKeyFunc)).toEqual(["shop/web", "shop/web"]);
  });

  test.each([
    ["nothing", undefined, "it has no metadata"],
    ["null", null, "it has no metadata"],
    ["text", "shop/web", "it has no metadata"],
    ["an object without metadata", {}, "it has no metadata"],
    ["an object without a name", { metadata: { namespace: "shop" } }, "it has no name"],
    ["an object with an empty name", { metadata: { name: "" } }, "it has no name"],
    ["an object with null for metadata", { metadata: null }, "it has no name"],
    ["a tombstone", new DeletedFinalStateUnknown(key, undefined), "it has no metadata"],
  ])("are not made for %s", (_, object, fault) => {
    const refusal = { name: "KeyError", reason: "InvalidKey", retry: "never", object };
    expect(() => metaNamespaceKeyFunc(object)).toThrow(expect.objectContaining(refusal));
    expect(() => metaNamespaceKeyFunc(object)).toThrow(`no key for the object: ${fault}`);
  });

  test("an error about a key carries the object and what went wrong first", () => {
    const cause = new Error("inner");
    const inner = new KeyError(100, cause);
    const outer = new KeyError(100, inner);
    expect([inner.object, inner.cause, outer.cause]).toEqual([100, cause, inner]);
  });

  test.each([
    ["shop/web", { namespace: "shop", name: "web" }],
    ["web", { namespace: "", name: "web" }],
  ])("%s is split", (text, expected) => {
    expect(splitMetaNamespaceKey(text)).toEqual(expected);
  });

  test("with two slashes is no key", () => {
    expect(() => splitMetaNamespaceKey("a/b/c")).toThrow('unexpected key format: "a/b/c"');
  });
});

describe("names", () => {
  const expected = { namespace: "shop", name: "web" };

  test.each([
    ["an object", pod("web", { namespace: "shop" })],
    ["an explicit key", explicitKey(key)],
    ["a tombstone", new DeletedFinalStateUnknown(key, undefined)],
  ])("of %s", (_, object) => {
    expect(objectName(object)).toEqual(expected);
  });

  test("of what lives in no namespace have an empty one", () => {
    expect(objectName(pod("web"))).toEqual({ namespace: "", name: "web" });
  });

  test("are not made for what has none", () => {
    expect(() => objectName({ metadata: {} })).toThrow(KeyError);
  });
});

test.each([
  ["its namespace", pod("web", { namespace: "shop" }), ["shop"]],
  ["the empty text, for what lives in none", pod("web"), [""]],
])("the index by namespace finds an object under %s", (_, object, expected) => {
  expect(metaNamespaceIndexFunc(object)).toEqual(expected);
});
