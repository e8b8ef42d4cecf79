import { describe, expect, test } from "vitest";
import { findJsonFault } from "./json-syntax.ts";

const faultOf = (text: string | Uint8Array) => findJsonFault(typeof text === "string" ? Buffer.from(text) : text);

describe("what is JSON has no fault", () => {
  for (const text of [
    "{}",
    ' [1, -0, 0.5, 1e3, 1E-3, 1.5e+2, true, false, null, "a"] ',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"',
    '{"a":{"b":[[],{}]},"a":1}',
    "\t\r\n 5",
    `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  ]) {
    test(text.slice(0, 60), () => expect(faultOf(text)).toBeUndefined());
  }

  test("bytes that are no UTF-8, inside a string", () => {
    expect(faultOf(Buffer.from([0x22, 0xff, 0xc3, 0x22]))).toBeUndefined();
  });
});

describe("Go's words for", () => {
  for (const [fact, text, fault] of [
    ["nothing", "", "unexpected end of JSON input"],
    ["only space", "  ", "unexpected end of JSON input"],
    ["no value", "xyz", "invalid character 'x' looking for beginning of value"],
    ["an unfinished object", '{"a":1', "unexpected end of JSON input"],
    ["an unfinished string", '{"a', "unexpected end of JSON input"],
    ["an unfinished escape", '"\\', "unexpected end of JSON input"],
    ["an unfinished unicode escape", '"\\u00', "unexpected end of JSON input"],
    ["an unfinished number", "-", "unexpected end of JSON input"],
    ["an unfinished fraction", "1.", "unexpected end of JSON input"],
    ["an unfinished exponent", "1e+", "unexpected end of JSON input"],
    ["an unfinished word", "tru", "unexpected end of JSON input"],
    ["something after the value", "{} x", "invalid character 'x' after top-level value"],
    ["a second value", "1 2", "invalid character '2' after top-level value"],
    ["a zero before a digit", "01", "invalid character '1' after top-level value"],
    ["a key that is no string", "{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ["a trailing comma in an object", '{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["a trailing comma in a list", "[1,]", "invalid character ']' looking for beginning of value"],
    ["a comma at the start of a list", "[,1]", "invalid character ',' looking for beginning of value"],
    ["no colon", '{"a" 1}', "invalid character '1' after object key"],
    ["no comma in an object", '{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ["no comma in a list", "[1 2]", "invalid character '2' after array element"],
    ["the wrong bracket", "[1}", "invalid character '}' after array element"],
    ["a control character in a string", '"a\u0001"', "invalid character '\\x01' in string literal"],
    ["a line break in a string", '"a\nb"', "invalid character '\\n' in string literal"],
    ["an unknown escape", '"\\x"', "invalid character 'x' in string escape code"],
    ["an apostrophe's escape", '"\\\'"', "invalid character '\\'' in string escape code"],
    ["no hexadecimal digit", '"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["a minus alone", "-x", "invalid character 'x' in numeric literal"],
    ["a point without digits", "1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["an exponent without digits", "1ex", "invalid character 'x' in exponent of numeric literal"],
    ["another word", "trux", "invalid character 'x' in literal true (expecting 'e')"],
    ["half of false", "[falsy]", "invalid character 'y' in literal false (expecting 'e')"],
    ["half of null", "nil", "invalid character 'i' in literal null (expecting 'u')"],
    ["a plus", "+1", "invalid character '+' looking for beginning of value"],
    ["a byte order mark", "\ufeff{}", "invalid character 'ï' looking for beginning of value"],
    ["a level too many", `${"[".repeat(10_001)}${"]".repeat(10_001)}`, "invalid character '[' exceeded max depth"],
  ] as const) {
    test(fact, () => expect(faultOf(text)).toBe(fault));
  }
});

test("three million brackets are answered", () => {
  expect(faultOf("[".repeat(3 * 1024 * 1024))).toBe("invalid character '[' exceeded max depth");
});
