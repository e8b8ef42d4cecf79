import { describe, expect, test } from "vitest";
import { editJsonText, hasInexactInteger } from "./exact-json.ts";
import { applyMergePatch } from "./merge-patch.ts";

describe("integers beyond 2^53", () => {
  for (const [name, text, patch, expected] of [
    ["stay as they are", '{"a":9007199254740993,"b":1}', { b: 2 }, '{"a":9007199254740993,"b":2}'],
    ["negative ones too", '{"a":-9223372036854775808}', { b: 1 }, '{"a":-9223372036854775808,"b":1}'],
    ["can be replaced", '{"a":9007199254740993}', { a: 3 }, '{"a":3}'],
    [
      "in lists",
      "[1,9223372036854775807,[12345678901234567890]]",
      undefined,
      "[1,9223372036854775807,[12345678901234567890]]",
    ],
    [
      "digits in strings are no numbers",
      '{"a":"9007199254740993","\\"9007199254740993":"\\\\"}',
      undefined,
      '{"a":"9007199254740993","\\"9007199254740993":"\\\\"}',
    ],
    ["small ones are numbers", '{"a":9007199254740991,"b":-1.5e3}', undefined, '{"a":9007199254740991,"b":-1500}'],
    [
      "a text with the mark in it gets another",
      '{"a":"\uE00012","b":9007199254740993}',
      undefined,
      '{"a":"\uE00012","b":9007199254740993}',
    ],
  ] as const) {
    test(name, () => {
      const edit = (value: unknown) => (patch === undefined ? value : applyMergePatch(value as never, patch as never));
      expect(editJsonText(text, edit)).toBe(expected);
    });
  }

  for (const [value, expected] of [
    [{ a: [{ b: 2 ** 53 }] }, true],
    [{ a: [{ b: 2 ** 53 - 1 }], c: 1.5, d: "9007199254740993", e: null }, false],
    [-(2 ** 60), true],
  ] as const) {
    test(`${JSON.stringify(value)} ${expected ? "holds" : "does not hold"} one`, () => {
      expect(hasInexactInteger(value)).toBe(expected);
    });
  }
});
