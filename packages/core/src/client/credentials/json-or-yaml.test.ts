import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJsonOrYaml, printYaml } from "./json-or-yaml.ts";

// What kubectl 1.36.4 makes of each scalar.
const scalars: readonly (readonly [string, unknown])[] = [
  ["y", true],
  ["n", false],
  ["Y", true],
  ["N", false],
  ["yes", true],
  ["No", false],
  ["on", true],
  ["off", false],
  ["True", true],
  ["FALSE", false],
  ["tRue", "tRue"],
  ["yep", "yep"],
  ["22:22", "22:22"],
  ["190:20:30", "190:20:30"],
  ["2001-12-14", "2001-12-14"],
  ["2001-12-14T21:59:43.10-05:00", "2001-12-14T21:59:43.10-05:00"],
  ["0o10", 8],
  ["-0o7", -7],
  ["0o8", "0o8"],
  ["010", 8],
  ["0777", 511],
  ["08", 8],
  ["0x1F", 31],
  ["0b11", 3],
  ["1_000", 1000],
  ["+1", 1],
  [".5", 0.5],
  ["1.", 1],
  ["1.0", 1],
  ["1.5", 1.5],
  ["1e3", 1000],
  ["12e03", 12000],
  ["1e", "1e"],
  ["685.230_15e+03", 685230.15],
  ["0.1.2", "0.1.2"],
  ["9007199254740991", 9007199254740991],
  ["~", null],
  ["null", null],
  ["NULL", null],
  ["nUll", "nUll"],
  ["=", "="],
];

test.each(scalars)("the scalar %s is read as kubectl reads it", async (text, expected) => {
  expect(await parseJsonOrYaml(`x: ${text}`)).toEqual({ x: expected });
});

test.each([
  ["nothing", "", undefined],
  ["only a comment", "# nothing\n", undefined],
  ["JSON", '{"a": [1, "y"]}', { a: [1, "y"] }],
  ["JSON indented by tabs", '{\n\t"a": 1\n}', { a: 1 }],
  ["flow style that is not JSON", "{a: 1}", { a: 1 }],
  ["several documents: the first", "a: 1\n---\na: 2\n", { a: 1 }],
  ["a repeated key: the last", "a: 1\na: 2\n", { a: 2 }],
  ["a merged mapping", "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", { a: { b: 1 }, c: { b: 1, d: 2 } }],
])("reads %s", async (_name, text, expected) => {
  expect(await parseJsonOrYaml(text)).toEqual(expected);
});

describe("a text that cannot be read", () => {
  test.each([
    ["a bad indent", "a: secret\n  b: secret\n", /^line 1, column \d+: /],
    ["an open bracket", "a: [secret\n", /^line 2, column 1: /],
    ["broken JSON", '{"token": "secret" "b"}', /^line 1, column \d+: /],
    ["aliases without end", billionLaughs(), /alias/],
  ])("%s: says where and quotes nothing", async (_name, text, expected) => {
    const error = await parseJsonOrYaml(text).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: "SyntaxFault", message: expect.stringMatching(expected) });
    expect(String(error)).not.toContain("secret");
  });
});

test("what is printed is read back the same, whatever the strings look like", async () => {
  const strings = fc.oneof(
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(...scalars.map(([text]) => text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom("a", "b", "y"), fc.array(strings)), async (value) => {
      expect(await parseJsonOrYaml(await printYaml({ ...value }))).toEqual({ ...value });
    }),
  );
});

test.each(["y", "22:22", "2001-12-14", "0o10", "1e3", "null"])("the string %s is printed in quotes", async (text) => {
  expect(await printYaml({ x: text })).toBe(`x: "${text}"\n`);
});

function billionLaughs(): string {
  const lines = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(",")}]`);
  return ["a0: &a0 lol", ...lines].join("\n");
}
