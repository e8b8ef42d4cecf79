import { applyStrategicMerge, StrategicMergeError } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { checkOrderItems, strategicWords } from "./strategic-words.ts";

const current = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { finalizers: ["a.io/b"] },
  spec: { containers: [{ name: "c", image: "i" }] },
};

function wordsFor(patch: object): string {
  try {
    applyStrategicMerge(current, patch);
    return "";
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    return strategicWords({ path: error.path, message: error.message, patch, current });
  }
}

describe("in upstream's words, with the values it stumbled over", () => {
  for (const [what, patch, words] of [
    [
      "an element without its key",
      { spec: { containers: [{ name: "c" }, { image: "j" }] } },
      "map: map[image:j] does not contain declared merge key: name",
    ],
    [
      "elements of two types",
      { spec: { containers: ["x"] } },
      "list element types are not identical: [[map[image:i name:c]] [x]]",
    ],
    [
      "a directive nobody knows",
      { spec: { containers: [{ name: "c", $patch: "odd" }] } },
      "unknown patch type: odd in map: map[$patch:odd name:c]",
    ],
    ["a directive that is no text", { $patch: 5 }, "unknown patch type: %!s(int64=5) in map: map[$patch:5]"],
    [
      "an order that is no list",
      { spec: { "$setElementOrder/containers": "c" } },
      "expected a []interface {}, but received a string",
    ],
    [
      "an order of others",
      { spec: { "$setElementOrder/containers": [{ name: "x" }], containers: [{ name: "c" }] } },
      "The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:x]]\n",
    ],
    [
      "a field nobody knows",
      { spec: { "$setElementOrder/odd": [] } },
      'unable to find api field in struct PodSpec for the json field "odd"',
    ],
    ["a deletion of no list", { metadata: { $deleteFromPrimitiveList: [] } }, "invalid patch format of primitive list"],
  ] as const) {
    test(what, () => expect(wordsFor(patch)).toBe(words));
  }
});

test("an order of objects names objects", () => {
  const order = (items: readonly unknown[]) => ({ "$setElementOrder/containers": items, containers: [{ name: "c" }] });
  const current = { spec: { containers: [] } };
  expect(() => checkOrderItems({ spec: order(["c"]) }, current)).toThrow(
    "expected a map[string]interface {}, but received a string",
  );
  expect(() => checkOrderItems({ spec: order([{ name: "c" }]) }, current)).not.toThrow();
  expect(() => checkOrderItems({ "$setElementOrder/finalizers": ["a"], finalizers: ["a"] }, current)).not.toThrow();
});

test("an order below what is not there yet is nobody's", () => {
  const patch = { spec: { "$setElementOrder/containers": ["c"], containers: [{ name: "c" }] } };
  expect(() => checkOrderItems(patch, { data: {} })).not.toThrow();
});
