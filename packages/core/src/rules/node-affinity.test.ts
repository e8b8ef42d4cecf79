import { describe, expect, test } from "vitest";
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "../api/generated/types/core/v1.ts";
import { matchesNodeAffinity, matchesNodeSelector, nodeAffinityScore } from "./node-affinity.ts";

const node = { metadata: { name: "n1", labels: { zone: "a", cores: "8", word: "x" } } };
const matches = (...terms: NodeSelectorTerm[]) => matchesNodeSelector({ nodeSelectorTerms: terms }, node);

describe("expressions on labels", () => {
  const rows: readonly [string, NodeSelectorRequirement, boolean][] = [
    ["In", { key: "zone", operator: "In", values: ["b", "a"] }, true],
    ["In, another", { key: "zone", operator: "In", values: ["b"] }, false],
    ["In, absent key", { key: "disk", operator: "In", values: ["a"] }, false],
    ["In without values is malformed", { key: "zone", operator: "In" }, false],
    ["NotIn", { key: "zone", operator: "NotIn", values: ["b"] }, true],
    ["NotIn, same", { key: "zone", operator: "NotIn", values: ["a"] }, false],
    ["NotIn, absent key", { key: "disk", operator: "NotIn", values: ["a"] }, true],
    ["NotIn without values is malformed", { key: "zone", operator: "NotIn", values: [] }, false],
    ["Exists", { key: "zone", operator: "Exists" }, true],
    ["Exists, absent", { key: "disk", operator: "Exists" }, false],
    ["Exists with values is malformed", { key: "zone", operator: "Exists", values: ["a"] }, false],
    ["DoesNotExist", { key: "disk", operator: "DoesNotExist" }, true],
    ["DoesNotExist, there", { key: "zone", operator: "DoesNotExist" }, false],
    ["Gt", { key: "cores", operator: "Gt", values: ["7"] }, true],
    ["Gt, equal", { key: "cores", operator: "Gt", values: ["8"] }, false],
    ["Gt, not a number", { key: "word", operator: "Gt", values: ["7"] }, false],
    ["Gt, two values", { key: "cores", operator: "Gt", values: ["6", "7"] }, false],
    ["Lt", { key: "cores", operator: "Lt", values: ["9"] }, true],
    ["Lt, absent key", { key: "disk", operator: "Lt", values: ["9"] }, false],
    ["NotIn what cannot be a label is malformed", { key: "zone", operator: "NotIn", values: ["-b"] }, false],
    ["an unknown operator", { key: "zone", operator: "Like", values: ["a"] }, false],
  ];
  test.each(rows)("%s", (_name, requirement, expected) => {
    expect(matches({ matchExpressions: [requirement] })).toBe(expected);
  });
});

describe("fields", () => {
  const rows: readonly [string, NodeSelectorRequirement, boolean][] = [
    ["the name", { key: "metadata.name", operator: "In", values: ["n1"] }, true],
    ["another name", { key: "metadata.name", operator: "In", values: ["n2"] }, false],
    ["not another name", { key: "metadata.name", operator: "NotIn", values: ["n2"] }, true],
    ["two names are malformed", { key: "metadata.name", operator: "In", values: ["n1", "n2"] }, false],
    ["Exists is malformed", { key: "metadata.name", operator: "Exists" }, false],
    ["a field nodes do not have", { key: "spec.x", operator: "In", values: ["n1"] }, false],
  ];
  test.each(rows)("%s", (_name, requirement, expected) => {
    expect(matches({ matchFields: [requirement] })).toBe(expected);
  });
  test("a node without a name is not held to one", () => {
    const term = { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] };
    expect(matchesNodeSelector({ nodeSelectorTerms: [term] }, { metadata: {} })).toBe(true);
  });
});

const inZone = (zone: string): NodeSelectorTerm => ({
  matchExpressions: [{ key: "zone", operator: "In", values: [zone] }],
});

test("terms are alternatives, parts of a term are not; an empty term matches nothing", () => {
  expect(matches(inZone("b"), inZone("a"))).toBe(true);
  expect(matches()).toBe(false);
  expect(matches({})).toBe(false);
  expect(matches({}, inZone("a"))).toBe(true);
  expect(matches({ ...inZone("a"), matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] })).toBe(
    false,
  );
});

test("nodeSelector and required affinity must both agree", () => {
  const affinity = (zone: string): PodSpec["affinity"] => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inZone(zone)] } },
  });
  const fits = (spec: Partial<PodSpec>) => matchesNodeAffinity({ spec: { containers: [], ...spec } }, node);
  expect(fits({})).toBe(true);
  expect(fits({ nodeSelector: { zone: "a" } })).toBe(true);
  expect(fits({ nodeSelector: { zone: "b" } })).toBe(false);
  expect(fits({ nodeSelector: { constructor: "a" } })).toBe(false);
  expect(fits({ nodeSelector: { zone: "a" }, affinity: affinity("b") ?? {} })).toBe(false);
  expect(fits({ nodeSelector: { zone: "a" }, affinity: affinity("a") ?? {} })).toBe(true);
});

test("preferred terms add their weights", () => {
  const preferred = [
    { weight: 10, preference: inZone("a") },
    { weight: 5, preference: inZone("b") },
    { weight: 1, preference: { matchExpressions: [{ key: "cores", operator: "Exists" }] } },
    { weight: 7, preference: {} },
  ];
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
  expect(nodeAffinityScore({ spec: { containers: [], affinity: { nodeAffinity } } }, node)).toBe(11);
  expect(nodeAffinityScore({ spec: { containers: [] } }, node)).toBe(0);
});
