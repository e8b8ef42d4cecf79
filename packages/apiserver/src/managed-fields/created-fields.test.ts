// A kept set is the one that a comparison would make: drawn objects, most of them like another in outline, are recorded both ways.
import { type KubernetesObject, schemaOfKind } from "@kubeloop/core/api";
import { deepFreeze } from "@kubeloop/core/base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareObjects } from "./compare-objects.ts";
import { createdFields } from "./created-fields.ts";
import { FieldSet } from "./field-set.ts";
import { recordUpdate } from "./record-update.ts";

const schema = schemaOfKind({ apiVersion: "apps/v1", kind: "Deployment" });
const empty = deepFreeze({
  metadata: { creationTimestamp: null },
  spec: {
    selector: null,
    template: { metadata: { creationTimestamp: null }, spec: { containers: null } },
    strategy: {},
  },
  status: {},
});

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const container = fc.record(
  { name: oneOf("a", "b"), image: oneOf("i", ""), ports: oneOf([], [{ containerPort: 1, protocol: "TCP" }], null) },
  { requiredKeys: ["name"] },
);
const templateMeta = fc.record(
  { creationTimestamp: oneOf(null, "2030-01-01T00:00:00Z"), labels: oneOf({}, { a: "b" }, { a: "c", b: "a" }, null) },
  { requiredKeys: [] },
);
const template = fc.record(
  {
    metadata: fc.oneof(templateMeta, fc.constant(null)),
    spec: fc.record(
      { containers: fc.oneof(fc.constant(null), fc.array(container, { maxLength: 3 })) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const drawn = fc.record(
  {
    metadata: templateMeta,
    spec: fc.record(
      {
        replicas: oneOf(0, 1),
        selector: oneOf(null, {}, { matchLabels: { a: "b" } }),
        template,
        strategy: oneOf({}, { type: "x" }, null),
      },
      { requiredKeys: [] },
    ),
    status: oneOf<unknown>({}, { replicas: 0 }, null, undefined),
    unheardOf: oneOf<unknown>(1, {}, { a: { b: 1 } }, [], null),
  },
  { requiredKeys: ["metadata"] },
);

const compared = (object: object, by: typeof schema) => {
  const { added, modified } = compareObjects(empty, object, by);
  return added.union(modified).toFields();
};

describe("the fields of a new object are those that it does not share with an empty one", () => {
  for (const [kind, by] of [
    ["by a schema", schema],
    ["without one", undefined],
  ] as const) {
    test(kind, () => {
      const check = (object: object) => {
        const fields = createdFields({ empty, object, schema: by }, kind, (changed) => changed);
        expect(fields.toFields()).toEqual(compared(object, by));
      };
      fc.assert(fc.property(drawn, check), { numRuns: 2000 });
    });
  }
});

test("objects that are alike share one set, whatever their values are", () => {
  const fieldsOf = (name: string, image: string) =>
    createdFields(
      {
        empty,
        object: { metadata: { name }, spec: { template: { spec: { containers: [{ name: "a", image }] } } } },
        schema,
      },
      "shared",
      (changed) => changed,
    );
  expect(fieldsOf("one", "i")).toBe(fieldsOf("two", "j"));
});

test("what is not to be recorded tells sets apart", () => {
  const base = {
    isNew: true,
    before: empty,
    schema,
    entries: [],
    manager: "me",
    apiVersion: "apps/v1",
    subresource: "",
  };
  const after = { metadata: { labels: { a: "b" } }, spec: { replicas: 1 } } as unknown as KubernetesObject;
  const recorded = (ignored: readonly (readonly string[])[]) =>
    recordUpdate({ ...base, after, ignored, nowMs: undefined, compareIn: () => undefined }).map(
      ({ fieldsV1 }) => fieldsV1,
    );
  const labels = { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } };
  expect(recorded([])).toEqual([{ ...labels, "f:spec": { "f:replicas": {} } }]);
  expect(recorded([["f:spec"]])).toEqual([labels]);
  expect(recorded([["f:metadata"], ["f:spec"]])).toEqual([]);
});

test("nothing is kept for an object that holds nothing", () => {
  const nothing = createdFields({ empty, object: empty, schema }, "nothing", (changed) => changed);
  expect(nothing).toBe(FieldSet.nothing);
});
