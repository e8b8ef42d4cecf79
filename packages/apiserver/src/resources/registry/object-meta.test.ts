import type { Fault } from "@kubeloop/core/api";
import { printFaults } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { subdomainName } from "../../kinds/shared/names.ts";
import { changedMetadataFaults, type MetadataCheck, newMetadataFaults } from "./object-meta.ts";

const check: MetadataCheck = { namespaced: true, checkName: subdomainName, finalizerNames: "qualified" };
const whole = { name: "a", namespace: "n", resourceVersion: "1" };
const fieldsOf = (faults: readonly Fault[]) => faults.map((fault) => printFaults([fault]).split(":")[0]);

describe("of a new object", () => {
  test("its kind asks for names that are subdomains, everybody for names a path can hold", () => {
    const { byItsKind, byEverybody } = newMetadataFaults({ ...whole, name: "A_b", generateName: "A_" }, check);
    expect(fieldsOf(byItsKind)).toEqual(["metadata.generateName", "metadata.name"]);
    expect(byEverybody).toEqual([]);
  });

  test("its kind may ask whose a finalizer is, which everybody does not", () => {
    const meta = { ...whole, finalizers: ["x", "orphan", "a.b/c"] };
    expect(fieldsOf(newMetadataFaults(meta, check).byItsKind)).toEqual(["metadata.finalizers[0]"]);
    expect(newMetadataFaults(meta, check).byEverybody).toEqual([]);
    expect(newMetadataFaults(meta, { ...check, finalizerNames: "any" }).byItsKind).toEqual([]);
  });

  test("both look at labels", () => {
    const { byItsKind, byEverybody } = newMetadataFaults({ ...whole, labels: { "a b": "c" } }, check);
    expect(fieldsOf(byItsKind)).toEqual(["metadata.labels"]);
    expect(byEverybody).toEqual(byItsKind);
  });
});

describe("of a changed object", () => {
  const faulty = {
    ...whole,
    generateName: "A_",
    labels: { "a b": "c" },
    finalizers: ["x"],
    deletionGracePeriodSeconds: 5,
  };
  const [prefix, labels, finalizer, end] = [
    "metadata.generateName",
    "metadata.labels",
    "metadata.finalizers[0]",
    "metadata.deletionGracePeriodSeconds",
  ];
  const forAll = [labels, end, labels];

  test.each([
    ["not looked at by its kind", [], []],
    ["looked at for what changed", ["changes"], [end, labels, finalizer]],
    ["looked at as a whole", ["whole"], [prefix, labels, finalizer]],
    ["looked at twice", ["whole", "changes"], [prefix, labels, finalizer, end, labels, finalizer]],
    ["looked at twice, the other way round", ["changes", "whole"], [end, labels, finalizer, prefix, labels, finalizer]],
  ] as const)("%s, it is told each fault as often", (_, looks, expected) => {
    const { byEverybody, byItsKind } = changedMetadataFaults(faulty, whole, { ...check, looks });
    expect(fieldsOf(byEverybody)).toEqual(forAll);
    expect(fieldsOf(byItsKind)).toEqual(expected);
  });
});
