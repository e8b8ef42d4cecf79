import { describe, expect, test } from "vitest";
import { ExactNumber, toPlainJson } from "./exact-values.ts";
import { parseYaml } from "./yaml.ts";
import { resolveScalar } from "./yaml-scalars.ts";

const valueIn = (text: string) => toPlainJson(parseYaml(Buffer.from(text)).value);

describe("a plain scalar, as kubectl reads it:", () => {
  for (const [text, expected] of [
    ["yes", true],
    ["y", true],
    ["On", true],
    ["TRUE", true],
    ["no", false],
    ["N", false],
    ["off", false],
    ["tRUE", "tRUE"],
    ["~", null],
    ["null", null],
    ["nULL", "nULL"],
    ["5", 5],
    ["+5", 5],
    ["-5", -5],
    ["0x1F", 31],
    ["010", 8],
    ["0o10", 8],
    ["-0o10", -8],
    ["0b11", 3],
    ["08", 8],
    ["1_000", 1000],
    ["1.5", 1.5],
    [".5", 0.5],
    ["1e3", 1000],
    ["1.", 1],
    [".", "."],
    ["-", "-"],
    ["1e", "1e"],
    ["22:22", "22:22"],
    ["2001-12-14", "2001-12-14"],
    ["2001-12-14T21:59:43.10-05:00", "2001-12-14T21:59:43.10-05:00"],
    ["1.2.3", "1.2.3"],
    ["0x", "0x"],
    ["99999999999999999999", 1e20],
    ["1e400", "1e400"],
    ["9007199254740993", new ExactNumber("9007199254740993")],
    ["18446744073709551615", new ExactNumber("18446744073709551615")],
  ] as const) {
    test(`${text} is ${JSON.stringify(expected)}`, () => {
      expect(resolveScalar({ text, isPlain: true, tag: undefined })).toEqual(expected);
    });
  }

  test("quotes make a text of anything", () => {
    expect(valueIn("a: '5'\nb: \"yes\"\nc: |\n  5\n")).toEqual({ a: "5", b: "yes", c: "5\n" });
  });

  for (const [text, expected] of [
    ["!!str 5", "5"],
    ["!!float 5", 5],
    ['!!int "5"', 5],
    ["!!binary aGVsbG8=", "hello"],
    ["!foo bar", "bar"],
    ["!!bool on", true],
  ] as const) {
    test(`${text} is ${JSON.stringify(expected)}`, () => expect(valueIn(`a: ${text}`)).toEqual({ a: expected }));
  }
});

describe("a document", () => {
  for (const [fact, text, expected] of [
    ["may be JSON", '{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
    ["is the first of several", "---\na: 1\n---\nb: 2\n", { a: 1 }],
    ["may have a byte order mark", "\ufeffa: 1", { a: 1 }],
    ["may be empty", "", null],
    ["may be a comment", "# nothing\n", null],
    ["has texts for keys", "1: x\ntrue: why\n1.5: z\n", { "1": "x", true: "why", "1.5": "z" }],
    ["may refer to its parts", "a: &x {b: 1}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
    ["means the last anchor of a name", "a: &x 1\nb: &x 2\nc: *x\n", { a: 1, b: 2, c: 2 }],
    ["may merge", "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n", { a: { k: 1, l: 2 }, b: { k: 1, l: 3 } }],
    ["merges the first of several last", "<<: [{k: 1, j: 2}, {k: 3, l: 4}]\n", { k: 1, j: 2, l: 4 }],
    ["may have a text that looks like a merge", '"<<": 1\n', { "<<": 1 }],
    ["has keys of its own", "__proto__: {a: 1}\n", JSON.parse('{"__proto__":{"a":1}}')],
  ] as const) {
    test(fact, () => expect(valueIn(text)).toEqual(expected));
  }

  // What upstream's own reader makes of them.
  for (const [text, expected] of [
    ['{"a":1} x', { a: 1 }],
    ['{"a":1}\nx: y', { a: 1 }],
    ['{"a":1}}', { a: 1 }],
    ['{"a":1}]', { a: 1 }],
    ['{"a":1},', { a: 1 }],
    ["{}\n- a", {}],
    ["[1] y", [1]],
    ['"x" y', "x"],
    ['a: "\\u00d8\\\\/\\U0001f600"', { a: "\u00d8\\/\u{1f600}" }],
    [`a: "it\\'s"\n"\\'": "\\\\'"`, { a: "it's", "'": "\\'" }],
    [`{"a": ["\\'"], b: "\\\\\\'\\"\\'"}`, { a: ["'"], b: "\\'\"'" }],
    [`a: |\n  "\\'"\nb: x "\\'"\nc: '"\\'`, { a: `"\\'"\n`, b: `x "\\'"`, c: `"\\` }],
  ] as const) {
    test(`${JSON.stringify(text)} is read to its end, and nothing behind it`, () => {
      expect(valueIn(text)).toEqual(expected);
    });
  }

  for (const [text, message] of [
    ['{"a":"\\/"}', "yaml: found unknown escape character"],
    ['a: b\nc: "\\/"', "yaml: line 2: found unknown escape character"],
    [`a: "\\'"\nc: "\\'\\/"`, "yaml: line 2: found unknown escape character"],
    ['a: "\\ud83d\\ude00"', "yaml: found invalid Unicode character escape code"],
    ['a:\n  - "x\\U0000d800"', "yaml: line 2: found invalid Unicode character escape code"],
    ['a: b\nc: "\\q"', "yaml: line 2: found unknown escape character"],
    ['a: b\nc: "\\xg0"', "yaml: line 2: did not find expected hexdecimal number"],
    ["a: b c: d", "yaml: "],
  ] as const) {
    test(`${JSON.stringify(text)} is refused`, () => {
      expect(() => valueIn(text)).toThrow(message);
    });
  }

  test("has its keys in the order of their letters", () => {
    expect(Object.keys(valueIn("zeta: 1\nalpha: 2\nBeta: 3\n") as object)).toEqual(["Beta", "alpha", "zeta"]);
  });
});

describe("keys that came twice are told with their lines:", () => {
  for (const [fact, text, lines] of [
    [
      "in a map",
      "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n",
      ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'],
    ],
    ["in JSON", '{"name":"a","name":"b"}', ['line 1: key "name" already set in map']],
    ["over a merge", "d:\n  <<: {k: v, j: q}\n  j: z\n", ['line 3: key "j" already set in map']],
    ["in merges", "d:\n  <<: [{k: v},{k: w}]\n", ['line 2: key "k" already set in map']],
    ["that are numbers", "1: a\n1: b\n", ["line 2: key 1 already set in map"]],
  ] as const) {
    test(fact, () => expect(parseYaml(Buffer.from(text)).repeatedKeys).toEqual(lines));
  }
});

describe("refuses", () => {
  // Among many other values, for too large a share of aliases is refused for itself.
  const merges = [`p: [${"x,".repeat(20_000)}]`, "a0: &a0 {k: 1}"];
  for (let i = 1; i < 600; i++) merges.push(`a${i}: &a${i} {<<: *a${i - 1}}`);
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
  for (const [before, name] of ["ab", "bc", "cd", "de", "ef", "fg", "gh"].map((pair) => [...pair])) {
    bomb.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(",")}]`);
  }
  for (const [fact, text, message] of [
    ["nested mappings in one line", "a: b: c", "yaml: mapping values are not allowed in this context"],
    ["a tab for indentation", "a:\n\tb: c", "yaml: line 2: found character that cannot start any token"],
    ["bytes that are no UTF-8", Buffer.from([0x61, 0xff]), "yaml: invalid leading UTF-8 octet"],
    ["control characters", 'a: "\u0001"', "yaml: control characters are not allowed"],
    ["half a surrogate pair", 'a: "\\ud800"', "yaml: found invalid Unicode character escape code"],
    ["an unknown anchor", "a: *x", "yaml: unknown anchor 'x' referenced"],
    ["an anchor inside itself", "a: &x [*x]", "yaml: anchor 'x' value contains itself"],
    ["aliases that grow beyond measure", bomb.join("\n"), "yaml: document contains excessive aliasing"],
    ["a merge of no map", "<<: 5\n", "yaml: map merge requires map or sequence of maps as the value"],
    ["a list for a key", "[a]: x\n", 'yaml: invalid map key: []interface {}{"a"}'],
    ["a map for a key", "{a: b}: x\n", 'yaml: invalid map key: map[interface {}]interface {}{"a":"b"}'],
    ["null for a key", "~: x\n", 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "x"'],
    ["infinity", "a: .inf", "json: unsupported value: +Inf"],
    ["what is no number", "a: -.inf", "json: unsupported value: -Inf"],
    ["a tag that lies", "a: !!int x", "yaml: cannot decode !!str `x` as a !!int"],
    ["twenty thousand brackets", "[".repeat(20_000), "yaml: exceeded max depth of 10000"],
    ["two thousand levels", `${"[".repeat(2000)}${"]".repeat(2000)}`, "exceeded max depth of 500"],
    ["lists in lists in one line", "- ".repeat(400_000), "yaml: exceeded max depth of 10000"],
    [
      "two thousand maps in maps",
      Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
      "exceeded max depth of 500",
    ],
    ["merges of merges", merges.join("\n"), "exceeded max depth of 500"],
  ] as const) {
    test(fact, () => expect(() => parseYaml(Buffer.from(text as string))).toThrow(message));
  }
});
