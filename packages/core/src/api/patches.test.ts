// The facts file holds what the API server's patch library and kubectl's three-way merge answer: [document, patch,
// { out } or { error }].
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../base/deep.ts";
import { applyJsonPatch, decodeJsonPatch, escapePointer } from "./json-patch.ts";
import { createJsonPatch } from "./json-patch-diff.ts";
import { applyMergePatch, createMergePatch, createThreeWayMergePatch, type ThreeWay } from "./merge-patch.ts";

type Answer = { readonly out: unknown } | { readonly error: string };
type Json = Readonly<Record<string, unknown>>;
interface Facts {
  readonly patch: readonly [unknown, unknown, Answer][];
  readonly merge: readonly [unknown, unknown, Answer][];
  readonly create: readonly [Json, Json, Answer][];
  readonly three: readonly [ThreeWay, Answer][];
}
const facts: Facts = deepFreeze(JSON.parse(readFileSync(new URL("./patches.facts.json", import.meta.url), "utf8")));

function answer(work: () => unknown): Answer {
  try {
    return { out: work() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

describe("as the API server does", () => {
  test.each(facts.patch)("applies to %j the JSON patch %j", (document, patch, expected) => {
    expect(answer(() => applyJsonPatch(document, decodeJsonPatch(patch)))).toEqual(expected);
  });
  test.each(facts.merge)("applies to %j the merge patch %j", (document, patch, expected) => {
    expect(answer(() => applyMergePatch(document, patch))).toEqual(expected);
  });
  test.each(facts.create)("finds the merge patch from %j to %j", (from, to, expected) => {
    expect(answer(() => createMergePatch(from, to))).toEqual(expected);
  });
  test.each(facts.three)("finds the three-way patch of %j", (given, expected) => {
    expect(answer(() => createThreeWayMergePatch(given))).toEqual(expected);
  });
});

test.each([
  [{}, "a JSON patch must be a list of operations"],
  [[1], "an operation of a JSON patch must be an object"],
  [[{ path: "/a" }], "Unexpected kind: unknown"],
  [[{ op: "frob", path: "/a" }], "Unexpected kind: frob"],
  [[{ op: "add", value: 1 }], "add operation failed to decode path: missing value"],
  [[{ op: "copy", path: "/a" }], "copy operation failed to decode from: missing value"],
])("refuses the patch %j", (json, fault) => expect(() => decodeJsonPatch(json)).toThrow(fault));

test("a change shares everything it did not touch", () => {
  const before = deepFreeze({ a: { x: 1 }, b: { y: [1, 2] } });
  const after = applyJsonPatch(before, [{ op: "replace", path: "/a/x", value: 2 }]);
  expect(after).toEqual({ a: { x: 2 }, b: { y: [1, 2] } });
  expect((after as typeof before).b).toBe(before.b);
  expect((applyMergePatch(before, { a: { x: 2 } }) as typeof before).b).toBe(before.b);
});

test("a merge patch that changes nothing gives back the object", () => {
  const before = deepFreeze({ a: { x: 1 }, b: 2 });
  expect(applyMergePatch(before, { a: { x: 1 }, c: null })).toBe(before);
});

describe("a long JSON patch", () => {
  test("changes a copy in one place only", () => {
    const document = { a: { b: [1] } };
    const patched = applyJsonPatch(document, [
      { op: "copy", from: "/a", path: "/c" },
      { op: "add", path: "/a/b/-", value: 2 },
      { op: "copy", from: "/a", path: "/d" },
      { op: "remove", path: "/d/b/0" },
    ]);
    expect(patched).toEqual({ a: { b: [1, 2] }, c: { b: [1] }, d: { b: [2] } });
    expect(document).toEqual({ a: { b: [1] } });
  });

  test("changes neither the document nor itself, also where it changes what it brought", () => {
    const value = deepFreeze({ list: [1] });
    const document = deepFreeze({ x: { y: 1 } });
    const patched = applyJsonPatch(document, [
      { op: "add", path: "/v", value },
      { op: "add", path: "/v/list/0", value: 0 },
      { op: "replace", path: "/x/y", value: 2 },
      { op: "move", from: "/x", path: "/v/x" },
    ]);
    expect(patched).toEqual({ v: { list: [0, 1], x: { y: 2 } } });
  });

  test("cannot double a document again and again", () => {
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/x", path: `/x/k${i}` }) as const);
    const patch = () => applyJsonPatch({ x: { a: "y".repeat(100) } }, doubling, { maxCopyBytes: 3 * 1024 * 1024 });
    expect(patch).toThrow(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    );
  });
});

describe("dangerous keys are plain data", () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  test("in merge patches", () => {
    const merged = applyMergePatch({}, hostile);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(JSON.stringify(merged)).toBe(JSON.stringify(hostile));
    expect(createMergePatch({}, hostile)).toEqual(hostile);
  });
  test("in JSON patches", () => {
    const patched = applyJsonPatch({ a: {} }, [{ op: "add", path: "/a/__proto__", value: { polluted: true } }]);
    expect(JSON.stringify(patched)).toBe('{"a":{"__proto__":{"polluted":true}}}');
    expect(() => applyJsonPatch({}, [{ op: "add", path: "/__proto__/polluted", value: 1 }])).toThrow("missing path");
    expect(() => applyJsonPatch({}, [{ op: "remove", path: "/constructor" }])).toThrow("nonexistent key");
  });
  test("nothing was polluted", () => expect(({} as Json)["polluted"]).toBeUndefined());
});

test("escapes what a pointer cannot hold", () => expect(escapePointer("a/b~c")).toBe("a~1b~0c"));

test.each([
  ["nothing for equal documents", { a: [1] }, { a: [1] }, []],
  ["one operation for one field", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, ["replace /a/c"]],
  ["an insertion in the middle of a list", { l: [1, 2, 3] }, { l: [1, 9, 2, 3] }, ["add /l/1"]],
  ["a removal at the front of a list", { l: [1, 2, 3] }, { l: [2, 3] }, ["remove /l/0"]],
  ["a field inside a list's item", { l: [{ n: "a", v: 1 }] }, { l: [{ n: "a", v: 2 }] }, ["replace /l/0/v"]],
  ["a whole new document", 1, { a: 1 }, ["replace "]],
] as const)("the diff is %s", (_name, from, to, expected) => {
  expect(createJsonPatch(from, to).map(({ op, path }) => `${op} ${path}`)).toEqual(expected);
});

const key = fc.oneof(
  fc.constantFrom("a", "b", "a/b", "m~n", "", "__proto__", "constructor"),
  fc.string({ maxLength: 3 }),
);
const json = (withNulls: boolean) =>
  fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, tie("leaf"), tie("object"), tie("list")),
    leaf: withNulls
      ? fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null))
      : fc.oneof(fc.integer(), fc.string(), fc.boolean()),
    object: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    list: fc.array(tie("value"), { maxLength: 4 }),
  }));

test("applying the diff of two documents to the first gives the second", () => {
  const document = json(true).object;
  fc.assert(
    fc.property(document, document, (from, to) => {
      deepFreeze(from);
      deepFreeze(to);
      expect(applyJsonPatch(from, decodeJsonPatch(createJsonPatch(from, to)))).toEqual(to);
    }),
    { numRuns: 500 },
  );
});

test("applying the merge patch of two objects without nulls to the first gives the second", () => {
  const document = json(false).object as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(document, document, (from, to) => {
      deepFreeze(from);
      deepFreeze(to);
      expect(applyMergePatch(from, createMergePatch(from, to))).toEqual(to);
    }),
    { numRuns: 500 },
  );
});

test("a three-way patch brings about what is wanted and keeps what others set", () => {
  const document = json(false).object as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(document, document, (original, modified) => {
      const current = { ...original, "set-by-others": 1 };
      const patch = createThreeWayMergePatch({ original, modified, current });
      expect(applyMergePatch(current, patch)).toEqual({ ...modified, "set-by-others": 1 });
    }),
  );
});
