// Each fact is what kubectl 1.36 printed for a ConfigMap with this value.
import { describe, expect, test } from "vitest";
import { printCompactJson, printJson } from "./print-json.ts";
import { compareNaturally, printYaml } from "./print-yaml.ts";

const words = (word: string, count: number) => Array.from({ length: count }, () => word).join(" ");

describe("texts", () => {
  for (const [text, yaml] of [
    ["plain", "plain"],
    ["", '""'],
    ["1", '"1"'],
    ["1_000", '"1_000"'],
    ["0x1f", '"0x1f"'],
    ["1e3", '"1e3"'],
    [".5", '".5"'],
    ["1:30", '"1:30"'],
    ["2020-01-02", '"2020-01-02"'],
    ["2020-13-02", "2020-13-02"],
    ["true", '"true"'],
    ["yes", '"yes"'],
    ["x: y", "'x: y'"],
    ["x:", "'x:'"],
    ["x:y", "x:y"],
    ["#no", "'#no'"],
    ["a #no", "'a #no'"],
    ["a#yes", "a#yes"],
    ["- a", "'- a'"],
    ["-a", "-a"],
    [" sp", "' sp'"],
    ["{a}", "'{a}'"],
    ["a, b", "a, b"],
    ['it\'s "q"', 'it\'s "q"'],
    ["---x", "'---x'"],
    ["tab\there", '"tab\\there"'],
    ["cr\rx", '"cr\\rx"'],
    ["ümläut – dash", "ümläut – dash"],
    ["😀", '"\\U0001F600"'],
    ["one\ntwo\n", "|\n  one\n  two"],
    ["one\ntwo", "|-\n  one\n  two"],
    ["a\n\n", "|+\n  a\n"],
    ["  lead\n\n", "|2+\n    lead\n"],
    ["trail \nx", '"trail \\nx"'],
  ] as const) {
    test(JSON.stringify(text), () => expect(printYaml({ a: text })).toBe(`a: ${yaml}\n`));
  }
});

test("long texts go on in the next line behind the 80th column, in quotes, too", () => {
  expect(printYaml({ a: words("word", 20) })).toBe(`a: ${words("word", 16)}\n  ${words("word", 4)}\n`);
  expect(printYaml({ a: words("a:", 40) })).toBe(`a: '${words("a:", 26)}\n  ${words("a:", 14)}'\n`);
});

test("lists stand below their key without indent, empty collections behind it", () => {
  const value = { b: [{ y: 1, x: [] }, [1, 2], "t"], a: {}, c: null, d: { e: true } };
  expect(printYaml(value)).toBe('a: {}\nb:\n- x: []\n  "y": 1\n- - 1\n  - 2\n- t\nc: null\nd:\n  e: true\n');
});

test("keys are in natural order", () => {
  const keys = ["x10", "x9", "x.y", "A", "a", "00", "0", "x", "aa"];
  expect(keys.toSorted(compareNaturally)).toEqual(["0", "00", "A", "a", "aa", "x", "x.y", "x9", "x10"]);
});

test("JSON has its keys in order and no letters that mean something to HTML", () => {
  expect(printJson({ b: [], a: { y: "<&>", x: undefined } })).toBe(
    '{\n    "a": {\n        "y": "\\u003c\\u0026\\u003e"\n    },\n    "b": []\n}\n',
  );
  expect(printCompactJson({ b: 1, a: 2 })).toBe('{"a":2,"b":1}');
});
