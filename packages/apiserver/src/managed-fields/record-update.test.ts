import { parseTime, schemaOfKind } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { compareObjects } from "./compare-objects.ts";
import { FieldSet, type FieldsV1 } from "./field-set.ts";
import { entriesFor, recordUpdate } from "./record-update.ts";

const nowMs = parseTime("2030-01-01T00:00:00Z");
const schema = schemaOfKind({ apiVersion: "apps/v1", kind: "Deployment" });
const update = {
  isNew: false,
  before: { metadata: {}, spec: { template: { spec: { containers: null } } } },
  schema,
  entries: [],
  manager: "me",
  apiVersion: "apps/v1",
  subresource: "",
  ignored: [],
  nowMs,
  compareIn: () => undefined,
} as const;
const fieldsOf = (after: object, more: object = {}) =>
  recordUpdate({ ...update, ...more, after }).map(({ fieldsV1 }) => fieldsV1);

describe("who writes has the fields that changed", () => {
  for (const [fact, after, fields] of [
    [
      "a scalar is a leaf",
      { metadata: {}, spec: { replicas: 2, template: { spec: { containers: null } } } },
      { "f:spec": { "f:replicas": {} } },
    ],
    [
      "a map that is new is in the set itself",
      { metadata: { labels: { a: "b" } }, spec: update.before.spec },
      { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } },
    ],
    [
      "an atomic structure is one path",
      { metadata: {}, spec: { selector: { matchLabels: { a: "b" } }, template: { spec: { containers: null } } } },
      { "f:spec": { "f:selector": {} } },
    ],
    [
      "items of a list are known by their keys",
      {
        metadata: {},
        spec: {
          template: {
            spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, protocol: "TCP" }] }] },
          },
        },
      },
      {
        "f:spec": {
          "f:template": {
            "f:spec": {
              "f:containers": {
                'k:{"name":"c"}': {
                  ".": {},
                  "f:image": {},
                  "f:name": {},
                  "f:ports": {
                    ".": {},
                    'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
                  },
                },
              },
            },
          },
        },
      },
    ],
    [
      "names and versions nobody has",
      { metadata: { name: "a", uid: "u", generation: 1 }, spec: update.before.spec },
      undefined,
    ],
  ] as const) {
    test(fact, () => expect(fieldsOf(after)).toEqual(fields === undefined ? [] : [fields]));
  }
});

describe("from one to the next", () => {
  const first = recordUpdate({
    ...update,
    after: { metadata: { labels: { a: "1", b: "1" } } },
    before: { metadata: {} },
  });

  test("who changes a field takes it", () => {
    const entries = recordUpdate({
      ...update,
      entries: first,
      manager: "other",
      before: { metadata: { labels: { a: "1", b: "1" } } },
      after: { metadata: { labels: { a: "2", b: "1" } } },
    });
    expect(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ["me", { "f:metadata": { "f:labels": { ".": {}, "f:b": {} } } }],
      ["other", { "f:metadata": { "f:labels": { "f:a": {} } } }],
    ]);
  });

  test("what is removed nobody has, and who has nothing is gone", () => {
    const entries = recordUpdate({
      ...update,
      entries: first,
      manager: "other",
      before: { metadata: { labels: { a: "1", b: "1" } } },
      after: { metadata: {} },
    });
    expect(entries).toEqual([]);
  });

  test("a key that every object seems to have is a key like others", () => {
    const before = { metadata: { labels: { a: "1", constructor: "1" } } };
    const held = recordUpdate({ ...update, after: before, before: { metadata: {} } });
    expect(held[0]?.fieldsV1).toEqual({ "f:metadata": { "f:labels": { ".": {}, "f:a": {}, "f:constructor": {} } } });
    const after = { metadata: { labels: { a: "1" } } };
    const [entry] = recordUpdate({ ...update, entries: held, manager: "other", before, after });
    expect(entry?.fieldsV1).toEqual({ "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } });
  });

  test("the same writer's fields are joined, at the time of the last", () => {
    const entries = recordUpdate({
      ...update,
      entries: first,
      nowMs: nowMs + 60_000,
      before: { metadata: { labels: { a: "1", b: "1" } } },
      after: { metadata: { labels: { a: "1", b: "1", c: "1" } } },
    });
    expect(entries).toMatchObject([
      {
        manager: "me",
        time: "2030-01-01T00:01:00Z",
        fieldsV1: { "f:metadata": { "f:labels": { "f:a": {}, "f:b": {}, "f:c": {} } } },
      },
    ]);
  });

  test("what a subresource does not write is nobody's", () => {
    expect(
      fieldsOf({ metadata: {}, status: { replicas: 1 } }, { before: { metadata: {} }, ignored: [["f:status"]] }),
    ).toEqual([]);
  });

  test("beyond ten writers the oldest become one", () => {
    let entries: ReturnType<typeof recordUpdate> = [];
    let before: object = { metadata: { annotations: {} } };
    for (let i = 0; i < 12; i++) {
      const annotations = Object.fromEntries(Array.from({ length: i + 1 }, (_, n) => [`n${n}`, "1"]));
      const after = { metadata: { annotations } };
      entries = recordUpdate({ ...update, entries, before, after, manager: `m${i}`, nowMs: nowMs + i * 1000 });
      before = after;
    }
    expect(entries.map(({ manager }) => manager)).toEqual([
      "ancient-changes",
      ...Array.from({ length: 9 }, (_, i) => `m${i + 3}`),
    ]);
  });
});

test("an empty list, or one empty entry, clears; nothing keeps", () => {
  const held = [{ manager: "x" }];
  expect(entriesFor(undefined, held, false)).toBe(held);
  expect(entriesFor([], held, false)).toEqual([]);
  expect(entriesFor([{}], held, false)).toEqual([]);
  expect(entriesFor([{ manager: "y" }], held, true)).toBe(held);
});

describe("what nobody can read leaves what was there", () => {
  const held = [{ manager: "x" }];
  const entry = { manager: "y", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
  const tower = JSON.parse(`${'{"f:a":'.repeat(5_000)}{}${"}".repeat(5_000)}`);
  for (const [fact, given] of [
    ["another operation", { ...entry, operation: "Delete" }],
    ["no version", { ...entry, apiVersion: "" }],
    ["fields of another type", { ...entry, fieldsType: "FieldsV2" }],
    ["fields that are a text", { ...entry, fieldsV1: "ab" }],
    ["a list inside", { ...entry, fieldsV1: { "f:a": [{}] } }],
    ["a name without its letter", { ...entry, fieldsV1: { a: {} } }],
    ["a tower", { ...entry, fieldsV1: tower }],
  ] as const) {
    test(fact, () => expect(entriesFor([given], held, false)).toBe(held));
  }
  test("but not what can be read", () => {
    const given = [{ ...entry, fieldsV1: { "f:a": { ".": {}, 'k:{"a":1}': {}, "v:1": {}, "i:0": {} } } }];
    expect(entriesFor(given, held, false)).toEqual(given);
  });

  test("and what is sent back as it was read is what is stored, of which all is known", () => {
    const [same, other] = entriesFor(
      [structuredClone(held[0] as typeof entry), { ...entry, manager: "z" }],
      held,
      false,
    );
    expect(same).toBe(held[0]);
    expect(other?.manager).toBe("z");
  });
});

test("objects that merely look alike are told apart", () => {
  const labels = (held: object) => fieldsOf({ metadata: { labels: held } }, { before: { metadata: {} } });
  expect(labels({ "a.1:b": "", c: "" })).toEqual([
    { "f:metadata": { "f:labels": { ".": {}, "f:a.1:b": {}, "f:c": {} } } },
  ]);
  expect(labels({ a: "", b: "", c: "" })).toEqual([
    { "f:metadata": { "f:labels": { ".": {}, "f:a": {}, "f:b": {}, "f:c": {} } } },
  ]);
  expect(labels({ a: "", "b.1:c": "" })).toEqual([
    { "f:metadata": { "f:labels": { ".": {}, "f:a": {}, "f:b.1:c": {} } } },
  ]);
});

test("who has many fields of many kinds is told all of them, however often that was asked", () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 200; i++) {
      const names = Array.from({ length: 200 }, (_, n) => `name-of-some-length-${i}-${n}`);
      const annotations = Object.fromEntries(names.map((name) => [name, "1"]));
      const [fields] = fieldsOf({ metadata: { annotations } }, { before: { metadata: {} } });
      const held = Object.keys((fields as FieldsV1)["f:metadata"]?.["f:annotations"] ?? {});
      expect(held).toEqual([".", ...names.map((name) => `f:${name}`).toSorted()]);
    }
  }
});

test("a set is read and written as it was", () => {
  const fields = { "f:a": { ".": {}, "f:b": {} }, 'v:"x"': {} };
  expect(FieldSet.from(fields).toFields()).toEqual(fields);
});

describe("an entry of another version", () => {
  const entries = recordUpdate({
    ...update,
    after: { metadata: { labels: { a: "1", b: "1" } } },
    before: { metadata: {} },
  });
  const change = {
    ...update,
    entries,
    manager: "other",
    apiVersion: "apps/v2",
    before: { metadata: { labels: { a: "1", b: "1" } } },
    after: { metadata: { labels: { a: "2", b: "1" } } },
  };

  test("loses what changed as its own version shows it", () => {
    // There the other label changed.
    const compareIn = () =>
      compareObjects(
        { metadata: { labels: { a: "1", b: "1" } } },
        { metadata: { labels: { a: "1", b: "2" } } },
        undefined,
      );
    expect(recordUpdate({ ...change, compareIn }).map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ["me", { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } }],
      ["other", { "f:metadata": { "f:labels": { "f:a": {} } } }],
    ]);
  });

  test("is gone when nobody knows that version", () => {
    const left = recordUpdate({ ...change, compareIn: () => undefined });
    expect(left.map(({ manager }) => manager)).toEqual(["other"]);
  });
});
