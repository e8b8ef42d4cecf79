import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExactNumber, OrderedEntries, toPlainJson } from "./exact-values.ts";
import { parseExactJson } from "./json-exact.ts";
import { scanJson } from "./json-scan.ts";
import { parseAnyJson, parseJson } from "./parse-json.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

const bytes = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

describe("text is read as Go reads it", () => {
  for (const [fact, body, expected] of [
    ["ASCII", bytes('{"a":"b"}'), { a: "b" }],
    ["UTF-8", bytes('{"é":"\u{1f600}"}'), { é: "\u{1f600}" }],
    ["a byte that is no UTF-8", bytes('"x', [0xff], 'y"'), "x\ufffdy"],
    ["an unfinished character, byte by byte", bytes('"', [0xe2, 0x82], 'A"'), "\ufffd\ufffdA"],
    ["an overlong form", bytes('"', [0xc0, 0x80], '"'), "\ufffd\ufffd"],
    ["half a surrogate pair in bytes", bytes('"', [0xed, 0xa0, 0x80], '"'), "\ufffd\ufffd\ufffd"],
    ["what is beyond Unicode", bytes('"', [0xf4, 0x90, 0x80, 0x80], '"'), "\ufffd\ufffd\ufffd\ufffd"],
    ["good characters beside bad ones", bytes('"é', [0xff], '\u{1f600}"'), "é\ufffd\u{1f600}"],
  ] as const) {
    test(fact, () => expect(parseJson(body).value).toEqual(expected));
  }
});

test("what is nested deeper than Go allows is refused", () => {
  const nested = (levels: number) => Buffer.from(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  expect(() => parseJson(nested(10_001))).toThrow("invalid character '{' exceeded max depth");
  expect(parseJson(nested(10_000)).keyCount).toBe(10_000);
  expect(parseJson(Buffer.from(`[${"[],{},".repeat(6000)}1]`)).keyCount).toBe(0);
});

describe("the exact way", () => {
  for (const [fact, text, expected] of [
    [
      "halves of surrogate pairs are replaced, pairs are not",
      '"\\ud800x\\udc00\\ud83d\\ude00"',
      "\ufffdx\ufffd\u{1f600}",
    ],
    ["plain integers are numbers", "[0,1,-1,999999999999999]", [0, 1, -1, 999_999_999_999_999]],
    ["spellings are kept", "[2.0,1e3,-0]", [new ExactNumber("2.0"), new ExactNumber("1e3"), new ExactNumber("-0")]],
    ["long integers keep their digits", "9007199254740993", new ExactNumber("9007199254740993")],
    [
      "all entries of repeated keys are kept",
      '{"a":1,"b":2,"a":3}',
      new OrderedEntries([
        ["a", 1],
        ["b", 2],
        ["a", 3],
      ]),
    ],
    [
      "keys like indexes keep their place",
      '{"b":1,"0":2}',
      new OrderedEntries([
        ["b", 1],
        ["0", 2],
      ]),
    ],
    ["escaped quotes and backslashes end no string", '["\\"","\\\\","a\\\\\\"b"]', ['"', "\\", 'a\\"b']],
    ["words", "[true,false,null]", [true, false, null]],
  ] as const) {
    test(fact, () => expect(parseExactJson(text)).toEqual(expected));
  }

  test("what is ten thousand levels deep is read", () => {
    expect(parseExactJson(`${"[".repeat(10_000)}${"]".repeat(10_000)}`)).toHaveLength(1);
  });

  test("agrees with JSON.parse on all JSON", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(toPlainJson(parseExactJson(text)))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

describe("a scan", () => {
  for (const [fact, text, keyCount, isSpellingNeeded] of [
    ["counts keys", '{"a":{"b":"c:d"},"e" : [ {"f":1} ]}', 4, false],
    ["counts repeated keys", '{"a":1,"a":2}', 2, false],
    ["is not fooled by JSON inside a string", '{"a":"{\\"b\\":1.5}"}', 1, false],
    ["is not fooled by a backslash at a key's end", '{"a\\\\":1}', 1, false],
    ["counts too many rather than too few", '{"a":[":b"]}', 2, false],
    ["sees a fraction", '{"a":1.5}', 1, true],
    ["sees an exponent", '{"a": 1E5}', 1, true],
    ["sees a long integer", '{"a":1234567890123456}', 1, true],
    ["sees a negative zero", '{"a":-0}', 1, true],
    ["takes 15 digits for granted", '{"a":-999999999999999}', 1, false],
    ["sees half a surrogate pair", '{"a":"\\uD800"}', 1, true],
    ["does not mind other escapes", '{"a":"\\u003c\\u00dd"}', 1, false],
  ] as const) {
    test(fact, () => expect(scanJson(text)).toEqual({ keyCount, isSpellingNeeded }));
  }
});

describe("any JSON", () => {
  for (const [fact, text, expected] of [
    ["is plain", '{"a":[1,2.5,{"b":null}]}', { value: { a: [1, 2.5, { b: null }] }, strictFaults: [] }],
    [
      "tells keys that came twice, and has their last value",
      '{"a":{"b":1,"b":2},"c":[{"d":1,"d":2}],"a":3}',
      { value: { a: 3, c: [{ d: 2 }] }, strictFaults: ["a.b", "c[0].d", "a"].map((at) => `duplicate field "${at}"`) },
    ],
    ["holds integers that a double holds", "9007199254740994", { value: 9_007_199_254_740_994, strictFaults: [] }],
  ] as const) {
    test(fact, () => expect(parseAnyJson(Buffer.from(text))).toEqual(expected));
  }

  test("has keys of its own, whatever they are called", () => {
    const { value } = parseAnyJson(Buffer.from('{"__proto__":{"polluted":1},"constructor":2}'));
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("polluted");
  });

  for (const [fact, text, message] of [
    ["what is no JSON", "{", "unexpected end of JSON input"],
    [
      "an integer that a double does not hold",
      '{"a":[9007199254740993]}',
      "number 9007199254740993 cannot be kept exactly",
    ],
    [
      "an integer that a double holds, but does not print",
      "1152921504606846976",
      "number 1152921504606846976 cannot be kept exactly",
    ],
    ["a number beyond all doubles", "1e400", "number 1e400 cannot be kept exactly"],
    ["what is nested too deep to be kept", `${"[".repeat(2000)}${"]".repeat(2000)}`, "exceeded max depth of 500"],
  ] as const) {
    test(`refuses ${fact}`, () => {
      expect(() => parseAnyJson(Buffer.from(text))).toThrow(UnmarshalError);
      expect(() => parseAnyJson(Buffer.from(text))).toThrow(message);
    });
  }
});
