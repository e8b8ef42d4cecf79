import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactJson } from "./exact-json.ts";

/** Parsed, and printed again. */
const again = (text: string) => {
  const { value, print } = parseExactJson(text);
  return print(value);
};

describe("JSON with integers beyond 2^53", () => {
  const rows: readonly [fact: string, text: string][] = [
    ["comes back as it was", '{"a":9007199254740993}'],
    ["negative ones too", '{"a":-9007199254740993}'],
    ["the largest of 64 bits too", "[9223372036854775807,-9223372036854775808]"],
    ["the same one twice", "[9007199254740993,9007199254740993]"],
    ["beside one that needs no help", "[9007199254740993,1,1.5,9007199254740991]"],
    ["longer than any number", "[123456789012345678901234567890]"],
    ["while digits in strings and keys are text", '{"9007199254740993":"9007199254740993","b":"x9007199254740995"}'],
    ["after an escaped quote", '{"a\\"9007199254740993":9007199254740995,"b\\\\":9007199254740995}'],
    ["beside texts that look like what we use inside", '["integer 9007199254740995","xinteger 1",9007199254740995]'],
  ];
  for (const [fact, text] of rows) test(fact, () => expect(again(text)).toBe(text));

  test("is printed as it was where it was moved to", () => {
    const { value, print } = parseExactJson('{"spec":{"big":9007199254740993}}');
    const { spec } = value as { readonly spec: { readonly big: number } };
    expect(print({ other: [spec.big], small: 7 })).toBe('{"other":[9007199254740993],"small":7}');
  });

  for (const text of ["[9007199254740993,9007199254740992]", "[9007199254740992,9007199254740993]"]) {
    test(`is refused where two cannot be told apart: ${text}`, () => {
      expect(() => parseExactJson(text)).toThrow("cannot be told apart");
    });
  }

  test("fractions and exponents are numbers like any other", () => {
    expect(again("[0.12345678901234567890,1234567890123456.75,1e21]")).toBe(
      "[0.12345678901234568,1234567890123456.8,1e+21]",
    );
  });
});

test("any JSON is printed as JSON.stringify would", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(again(text)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("any integers of 64 bits come back, unless two cannot be told apart", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 5 }), (integers) => {
      fc.pre(new Set(integers.map(Number)).size === new Set(integers).size);
      const text = `[${integers.join(",")}]`;
      expect(again(text)).toBe(text);
    }),
  );
});

test("what is no JSON is a SyntaxError", () => {
  expect(() => parseExactJson("{")).toThrow(SyntaxError);
});
