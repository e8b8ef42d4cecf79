import { describe, expect, test } from "vitest";
import {
  alternateIdentity,
  type Dependent,
  type Identity,
  identityId,
  partitionDependents,
  printIdentity,
  referredIdentity,
} from "./identity.ts";

const parent: Identity = { apiVersion: "v1", kind: "Parent", namespace: "ns1", name: "parent", uid: "u" };
const clusterParent: Identity = { ...parent, namespace: "" };
const child = (namespace: string, ...owners: readonly Partial<Identity>[]): Dependent => ({
  identity: { apiVersion: "v1", kind: "Child", namespace, name: "child", uid: "child" },
  owners: owners.map((owner) => {
    const { namespace: _namespace, ...reference } = { ...parent, ...owner };
    return reference;
  }),
});

test("an identity is printed as in upstream's events", () => {
  expect(printIdentity(parent)).toBe("[v1/Parent, namespace: ns1, name: parent, uid: u]");
});

test("no two identities have the same text, whatever their names hold", () => {
  expect(identityId({ ...parent, kind: "a b", namespace: "c" })).not.toBe(
    identityId({ ...parent, kind: "a", namespace: "b c" }),
  );
});

describe("dependents", () => {
  test.each<[string, Identity, Dependent, readonly [boolean, boolean]]>([
    ["that name it", parent, child("ns1", {}), [true, false]],
    ["in another namespace do not", parent, child("ns2", {}), [false, true]],
    ["in any namespace name a cluster-scoped one", clusterParent, child("ns2", {}), [true, false]],
    ["with another name do not", parent, child("ns1", { name: "x" }), [false, true]],
    ["with another kind do not", parent, child("ns1", { kind: "X" }), [false, true]],
    ["with another version do not", parent, child("ns1", { apiVersion: "v2" }), [false, true]],
    ["with two references may be both", parent, child("ns1", {}, { kind: "X" }), [true, true]],
    ["of others are neither", parent, child("ns1", { uid: "x" }), [false, false]],
  ])("%s", (_, identity, dependent, [isMatching, isNonmatching]) => {
    const { matching, nonmatching } = partitionDependents([dependent], identity);
    expect([matching.length > 0, nonmatching.length > 0]).toEqual([isMatching, isNonmatching]);
  });
});

describe("another identity", () => {
  test.each<[string, Identity, readonly Dependent[], Partial<Identity> | undefined]>([
    ["is none if all agree", parent, [child("ns1", {})], undefined],
    ["is none if nobody refers to it", parent, [child("ns1", { uid: "x" })], undefined],
    ["has another version", parent, [child("ns1", {}), child("ns1", { apiVersion: "xx" })], { apiVersion: "xx" }],
    ["has another kind", parent, [child("ns1", {}), child("ns1", { kind: "X" })], { kind: "X" }],
    ["has another namespace", parent, [child("ns1", {}), child("ns2", {})], { namespace: "ns2" }],
    ["has another name", parent, [child("ns1", { name: "x" })], { name: "x" }],
    [
      "of a cluster-scoped one with another version may be namespaced",
      clusterParent,
      [child("ns1", { apiVersion: "xx" })],
      { namespace: "ns1", apiVersion: "xx" },
    ],
    [
      "of a cluster-scoped one with another kind may be namespaced",
      clusterParent,
      [child("ns1", { kind: "X" })],
      { namespace: "ns1", kind: "X" },
    ],
    [
      "of a cluster-scoped one with another name is cluster-scoped",
      clusterParent,
      [child("ns1", { name: "x" })],
      { namespace: "", name: "x" },
    ],
    [
      "of a cluster-scoped one is none if only namespaces differ",
      clusterParent,
      [child("ns1", {}), child("ns2", {})],
      undefined,
    ],
    ["for a cluster-scoped child of a namespaced one is cluster-scoped", parent, [child("", {})], { namespace: "" }],
  ])("%s", (_, absent, dependents, expected) => {
    const { namespace } = absent;
    const found = expected === undefined ? undefined : { ...parent, namespace, ...expected };
    expect(alternateIdentity(dependents, absent)).toEqual(found);
  });

  test("is the next in order, and the first after the last, so that each has its turn", () => {
    const versions = ["v1", "v2", "v3", "v4"];
    for (const dependents of [versions, versions.toReversed()]) {
      const all = dependents.map((apiVersion) => child("ns1", { apiVersion }));
      const next = versions.map((apiVersion) => alternateIdentity(all, { ...parent, apiVersion })?.apiVersion);
      expect(next).toEqual(["v2", "v3", "v4", "v1"]);
    }
  });
});

test("a reference names its owner in the namespace of the one that refers", () => {
  const [reference] = child("ns2", {}).owners;
  if (reference === undefined) throw new Error("no reference");
  expect(referredIdentity({ ...reference, controller: true }, "ns2")).toEqual({ ...parent, namespace: "ns2" });
});
