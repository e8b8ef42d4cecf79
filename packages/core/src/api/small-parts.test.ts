// Quoting, IntOrString, versions, keys, names, resource versions, decoding: each a few rows. The facts file holds what
// Kubernetes 1.36 answers.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import {
  compareVersions,
  kindOf,
  parseGroupKind,
  parseGroupResource,
  parseGroupVersion,
  printGroupKind,
  printGroupResource,
  printGroupVersion,
  printGroupVersionKind,
  printGroupVersionResource,
  sortVersions,
} from "./group-version.ts";
import { parseIntOrString, printIntOrString, scaledValue } from "./int-or-string.ts";
import { generateName, maxGeneratedNameLength, randomSuffix, safeEncode } from "./names.ts";
import { decodeObject } from "./object.ts";
import { keyOf, objectKeyOf, parseObjectKey, splitKey } from "./object-key.ts";
import { quote } from "./quote.ts";
import { compareResourceVersions, isResourceVersion } from "./resource-version.ts";

interface Facts {
  readonly quote: readonly [string, string][];
  readonly scaledValue: readonly [string, number[] | { readonly error: string }][];
  readonly parseIntOrString: readonly [string, string | number][];
  readonly compareVersions: readonly [[string, string], number][];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./small-parts.facts.json", import.meta.url), "utf8"));

test.each(facts.quote)("quotes %j", (text, expected) => expect(quote(text)).toBe(expected));

test.each(facts.scaledValue)("%j of 7, rounded up and down", (text, expected) => {
  const both = () => [scaledValue(text, 7, { round: "up" }), scaledValue(text, 7, { round: "down" })];
  if (Array.isArray(expected)) expect(both()).toEqual(expected);
  else expect(both).toThrow(expected.error);
});

test("a number is not scaled, an absent value is refused", () => {
  expect(scaledValue(3, 100, { round: "up" })).toBe(3);
  expect(() => scaledValue(undefined, 100, { round: "up" })).toThrow("nil value for IntOrString");
  expect(printIntOrString(5)).toBe("5");
});

test.each(facts.parseIntOrString)("parses %j", (text, expected) => expect(parseIntOrString(text)).toBe(expected));

test.each(facts.compareVersions)("prefers versions as Kubernetes: %j", ([left, right], order) => {
  expect(Math.sign(compareVersions(left, right))).toBe(order);
});

test("sorts the preferred version first", () => {
  const versions = ["foo", "v1alpha1", "v1", "v1beta1", "v2", "v1beta2", "v10", "bar"];
  expect(sortVersions(versions)).toEqual(["v10", "v2", "v1", "v1beta2", "v1beta1", "v1alpha1", "bar", "foo"]);
});

describe("groups, versions and kinds", () => {
  test.each([
    ["v1", { group: "", version: "v1" }, "v1"],
    ["apps/v1", { group: "apps", version: "v1" }, "apps/v1"],
    ["", { group: "", version: "" }, ""],
    ["/", { group: "", version: "" }, ""],
    ["/v1", { group: "", version: "v1" }, "v1"],
    ["apps/", { group: "apps", version: "" }, "apps/"],
  ] as const)("reads %j", (text, expected, printed) => {
    expect(parseGroupVersion(text)).toEqual(expected);
    expect(printGroupVersion(expected)).toBe(printed);
  });
  test("refuses two slashes", () => {
    expect(() => parseGroupVersion("a/b/c")).toThrow("unexpected GroupVersion string: a/b/c");
  });
  test("prints as messages do", () => {
    const kind = kindOf({ apiVersion: "apps/v1", kind: "Deployment" });
    expect(printGroupVersionKind(kind)).toBe("apps/v1, Kind=Deployment");
    expect(printGroupKind(kind)).toBe("Deployment.apps");
    expect(printGroupKind(parseGroupKind("Pod"))).toBe("Pod");
    expect(printGroupResource(parseGroupResource("ingresses.networking.k8s.io"))).toBe("ingresses.networking.k8s.io");
    expect(printGroupVersionResource({ group: "", version: "v1", resource: "pods" })).toBe("/v1, Resource=pods");
  });
});

describe("keys", () => {
  test.each([
    [{ metadata: { name: "a", namespace: "n" } }, "n/a"],
    [{ metadata: { name: "a" } }, "a"],
    [{ metadata: { name: "a", namespace: "" } }, "a"],
  ] as const)("of %j", (object, expected) => expect(keyOf(object)).toBe(expected));
  test("more than one slash is no key", () => {
    expect(() => splitKey("a/b/c")).toThrow('unexpected key format: "a/b/c"');
    expect(() => parseObjectKey("a/b/c")).toThrow("unexpected key format");
  });
  test("a leading slash names an object without namespace", () => expect(parseObjectKey("/a")).toBe("a"));
  test("splitting undoes joining", () => {
    const part = fc.stringMatching(/^[a-z0-9.-]{1,20}$/);
    fc.assert(
      fc.property(fc.oneof(fc.constant(""), part), part, (namespace, name) => {
        expect(splitKey(objectKeyOf(namespace, name))).toEqual({ namespace, name });
      }),
    );
  });
});

describe("resource versions", () => {
  test.each([
    ["1", "1", 0],
    ["1", "2", -1],
    ["9", "10", -1],
    ["100", "99", 1],
    ["99999999999999999999999", "100000000000000000000000", -1],
  ] as const)("%s ? %s", (left, right, order) => expect(compareResourceVersions(left, right)).toBe(order));
  test.each(["", "0", "01", "-1", "+1", "1a", " 1", "1.5", "１"])("refuses %j", (version) => {
    expect(isResourceVersion(version)).toBe(false);
    expect(() => compareResourceVersions(version, "1")).toThrow(`resource version is not well formed: ${version}`);
    expect(() => compareResourceVersions("1", version)).toThrow("not well formed");
  });
});

describe("generated names", () => {
  const random = seededRandom(1);
  test("five letters of the alphabet follow the prefix", () => {
    expect(generateName("web-", random)).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(randomSuffix(random, 10)).toHaveLength(10);
  });
  test("a long prefix is cut", () => {
    const name = generateName("x".repeat(100), random);
    expect(name).toHaveLength(63);
    expect(name.slice(0, maxGeneratedNameLength)).toBe("x".repeat(58));
  });
  test("the same seed gives the same names", () => {
    expect(generateName("a-", seededRandom(7))).toBe(generateName("a-", seededRandom(7)));
  });
  test("hashes are spelled in the alphabet", () => {
    expect(safeEncode("1234567890")).toBe("56789bcdf4");
    expect(safeEncode("84f6fbc8c")).toBe("d84b4wxdx");
  });
});

describe("decoding objects", () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: { x: "y" } } };
  test("hands out the very object", () => expect(decodeObject(pod)).toBe(pod));
  test("fills in what the list knows", () => {
    expect(decodeObject({ metadata: {} }, { apiVersion: "v1", kind: "Pod" })).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {},
    });
  });
  test.each([
    [null, "must be an object, got null"],
    [[], "must be an object, got a list"],
    [{ kind: "Pod" }, "apiVersion: must be text, got nothing"],
    [{ apiVersion: "v1", kind: "" }, "kind: must not be empty"],
    [{ apiVersion: "v1", kind: "Pod" }, "metadata: must be an object, got nothing"],
    [{ ...pod, metadata: { name: 5 } }, "metadata.name: must be text, got a number"],
    [{ ...pod, metadata: { labels: { a: true } } }, "metadata.labels[a]: must be text, got a boolean"],
    [{ ...pod, metadata: { finalizers: ["a", 1] } }, "metadata.finalizers[1]: must be text, got a number"],
    [{ ...pod, metadata: { ownerReferences: {} } }, "metadata.ownerReferences: must be a list, got an object"],
  ])("refuses %j", (json, fault) => expect(() => decodeObject(json)).toThrow(fault));
  test("accepts the null a Go client sends for no time", () => {
    expect(() => decodeObject({ ...pod, metadata: { creationTimestamp: null } })).not.toThrow();
  });
});
