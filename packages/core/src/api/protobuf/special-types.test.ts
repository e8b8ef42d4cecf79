import { describe, expect, test } from "vitest";
import { MessageCodec } from "./codec.ts";
import { apiextensions, intOrString, meta, quantities, runtime } from "./message-names.ts";
import { fromHex, smallTable, toHex } from "./small-table.fixture.ts";

/** `value`, field 1, is of the type in question. */
const codecOf = (type: string) =>
  new MessageCodec(
    smallTable({
      "test.Holder": { value: { number: 1, type } },
      [`${apiextensions}.JSONSchemaProps`]: { title: { number: 7, type: "string" } },
      [`${meta}.Verbs`]: { items: { number: 1, type: "string", container: "repeated" } },
    }),
  );
const decode = (type: string, hex: string) => codecOf(type).decode(fromHex(hex), "test.Holder");
const encode = (type: string, value: unknown) => toHex(codecOf(type).encode({ value }, "test.Holder"));

const quantity = `${quantities}.Quantity`;
const time = `${meta}.Time`;
const microTime = `${meta}.MicroTime`;
const duration = `${meta}.Duration`;
const raw = `${runtime}.RawExtension`;
const schemaOrBool = `${apiextensions}.JSONSchemaPropsOrBool`;
const schemaOrList = `${apiextensions}.JSONSchemaPropsOrArray`;
const schemaOrWords = `${apiextensions}.JSONSchemaPropsOrStringArray`;

describe("both ways", () => {
  for (const [fact, type, hex, json] of [
    ["a quantity is its text", quantity, "0a06 0a04 3530306d", "500m"],
    ["a quantity value is one too", `${quantities}.QuantityValue`, "0a05 0a03 314769", "1Gi"],
    ["an int is an int", intOrString, "0a06 0800 1050 1a00", 80],
    ["zero is an int", intOrString, "0a06 0800 1000 1a00", 0],
    ["a negative int takes ten bytes", intOrString, "0a0f 0800 10ffffffffffffffffff01 1a00", -1],
    ["a percentage is text", intOrString, "0a09 0801 1000 1a03 323525", "25%"],
    ["empty text is text", intOrString, "0a06 0801 1000 1a00", ""],
    ["a time is in seconds", time, "0a08 08cda1e6bb04 1000", "2008-01-01T01:01:01Z"],
    ["1970 is a time like others", time, "0a04 0800 1000", "1970-01-01T00:00:00Z"],
    ["before 1970 it is negative", time, "0a0d 08ffffffffffffffffff01 1000", "1969-12-31T23:59:59Z"],
    ["a micro time has a fraction", microTime, "0a0a 08839cc3b306 10c0843d", "2024-06-18T00:00:03.001000Z"],
    ["a micro time's fraction may be zero", microTime, "0a08 08839cc3b306 1000", "2024-06-18T00:00:03.000000Z"],
    ["a duration is in nanoseconds", duration, "0a06 0880a8989137", "14.8s"],
    ["a duration may be none", duration, "0a02 0800", "0s"],
    ["a duration beyond 2^53 is exact", duration, "0a09 088180808080808040", "10007h59m57.018963969s"],
    ["raw JSON is its text", raw, "0a09 0a07 7b2261223a317d", { a: 1 }],
    ["raw JSON may be a string", raw, "0a05 0a03 227822", "x"],
    ["a managed field set is raw JSON", `${meta}.FieldsV1`, "0a0c 0a0a 7b22663a61223a7b7d7d", { "f:a": {} }],
    ["a default is raw JSON", `${apiextensions}.JSON`, "0a07 0a05 66616c7365", false],
    ["a list with a name is a list", `${meta}.Verbs`, "0a0a 0a03676574 0a03707574", ["get", "put"]],
    ["an empty list with a name is there", `${meta}.Verbs`, "0a00", []],
    ["additional properties: yes", schemaOrBool, "0a02 0801", true],
    ["additional properties: no", schemaOrBool, "0a02 0800", false],
    ["additional properties: such", schemaOrBool, "0a07 0801 1203 3a0174", { title: "t" }],
    ["items: such", schemaOrList, "0a05 0a03 3a0174", { title: "t" }],
    ["items: a list of such", schemaOrList, "0a0a 1203 3a0174 1203 3a0175", [{ title: "t" }, { title: "u" }]],
    ["dependencies: such", schemaOrWords, "0a05 0a03 3a0174", { title: "t" }],
    ["dependencies: words", schemaOrWords, "0a06 1201 61 1201 62", ["a", "b"]],
  ] as const) {
    test(fact, () => {
      expect(decode(type, hex)).toEqual({ value: json });
      expect(encode(type, json)).toBe(hex.replaceAll(" ", ""));
    });
  }
});

describe("what only others send", () => {
  for (const [fact, type, hex, json] of [
    ["an empty quantity message is zero", quantity, "0a00", "0"],
    ["an empty time message is no time", time, "0a00", null],
    ["Go's zero time, given, is the year 1", time, "0a0b 088092b8c398feffffff01", "0001-01-01T00:00:00Z"],
    ["an empty micro time message is no time", microTime, "0a00", null],
    ["and so is its micro time", microTime, "0a0b 088092b8c398feffffff01", "0001-01-01T00:00:00.000000Z"],
    ["a time's nanoseconds are not shown", time, "0a0a 08cda1e6bb04 10c0843d", "2008-01-01T01:01:01Z"],
    ["a time without seconds is 1970", time, "0a02 1000", "1970-01-01T00:00:00Z"],
    ["the last second of 9999 is a time", time, "0a07 08ff82d1ffaf07", "9999-12-31T23:59:59Z"],
    ["what is finer than a microsecond is cut off", microTime, "0a06 0801 10ffcf0f", "1970-01-01T00:00:01.000255Z"],
    ["negative nanoseconds count back", microTime, "0a0d 0801 1098f8ffffffffffffff01", "1970-01-01T00:00:00.999999Z"],
    ["an empty raw extension is null", raw, "0a00", null],
    ["empty raw bytes are null", raw, "0a02 0a00", null],
    ["raw null is null", raw, "0a06 0a04 6e756c6c", null],
    ["the last raw bytes count", raw, "0a06 0a01 31 0a01 32", 2],
    ["fields come in whatever order, with others between", intOrString, "0a0c 1a03 323525 2001 2a0178 0801", "25%"],
    ["a schema beats what `allows` says", schemaOrBool, "0a05 1203 3a0174", { title: "t" }],
    ["an empty union of schemas is null", schemaOrList, "0a00", null],
    ["a list beats a schema", schemaOrList, "0a0a 0a03 3a0174 1203 3a0175", [{ title: "u" }]],
  ] as const) {
    test(fact, () => expect(decode(type, hex)).toEqual({ value: json }));
  }
});

describe("refused", () => {
  for (const [fact, type, hex, message] of [
    ["a quantity of no text", quantity, "0a02 0a00", "quantities must match"],
    ["neither int nor string", intOrString, "0a02 0802", "impossible IntOrString.Type"],
    ["the year 10000", time, "0a07 088083d1ffaf07", "outside the years"],
    ["a time that no calendar has", time, "0a0a 08ffffffffffffffff7f", "outside the years"],
    ["raw bytes that are no JSON", raw, "0a03 0a01 7b", "no valid JSON"],
    ["a union's part that ends early", schemaOrBool, "0a03 1205 3a", "unexpected EOF"],
  ] as const) {
    test(fact, () => expect(() => decode(type, hex)).toThrow(message));
  }

  test("raw JSON that is too deep to be walked", () => {
    const holding = (depth: number) => encode(raw, JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`));
    expect(decode(raw, holding(1000))).toHaveProperty("value");
    expect(() => decode(raw, holding(1001))).toThrow("deeper than 1000");
  });
});

test("brackets within strings are no depth", () => {
  const json = { 'a"[': `${"[{\\".repeat(2000)}"` };
  expect(decode(raw, encode(raw, json))).toEqual({ value: json });
});

describe("where Go holds no pointer, nothing is its zero value", () => {
  const codec = (type: string) =>
    new MessageCodec(smallTable({ "test.Holder": { values: { number: 1, type, container: "repeated" } } }));
  for (const [fact, type, hex] of [
    ["a quantity is 0", quantity, "0a03 0a01 30"],
    ["an int or string is the int 0", intOrString, "0a06 0800 1000 1a00"],
    ["a time is empty", time, "0a00"],
    ["a micro time is empty", microTime, "0a00"],
    ["a duration is 0", duration, "0a02 0800"],
    ["a raw extension is empty", raw, "0a00"],
    ["a schema or boolean is false", schemaOrBool, "0a02 0800"],
    ["a schema or list is empty", schemaOrList, "0a00"],
  ] as const) {
    test(fact, () => {
      expect(toHex(codec(type).encode({ values: [null] }, "test.Holder"))).toBe(hex.replaceAll(" ", ""));
    });
  }
  test("and so is the year 1", () => {
    expect(encode(time, "0001-01-01T00:00:00Z")).toBe("0a00");
    expect(encode(microTime, "0001-01-01T00:00:00.000000Z")).toBe("0a00");
  });
});

test.each(["", " 1", "1 ", "1\t"])("a quantity of %j is refused, unlike in JSON", (text) => {
  const bytes = Buffer.from(text);
  const hex = Buffer.from([0x0a, bytes.length + 2, 0x0a, bytes.length, ...bytes]).toString("hex");
  expect(() => decode(quantity, hex)).toThrow("quantities must match the regular expression");
});
