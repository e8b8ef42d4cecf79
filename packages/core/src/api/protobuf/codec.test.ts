import { describe, expect, test } from "vitest";
import { MessageCodec } from "./codec.ts";
import { loadProtobuf, ProtobufError } from "./index.ts";
import { fromHex, smallTable, toHex } from "./small-table.fixture.ts";

const codec = new MessageCodec(
  smallTable({
    "test.All": {
      text: { number: 1, type: "string" },
      int: { number: 2, type: "int32" },
      long: { number: 3, type: "int64" },
      flag: { number: 4, type: "bool" },
      bytes: { number: 5, type: "bytes" },
      double: { number: 6, type: "double" },
      inner: { number: 7, type: "test.All" },
      texts: { number: 8, type: "string", container: "repeated" },
      ints: { number: 9, type: "int32", container: "repeated" },
      flags: { number: 10, type: "bool", container: "repeated" },
      inners: { number: 11, type: "test.All", container: "repeated" },
      words: { number: 12, type: "string", container: "map" },
      blobs: { number: 13, type: "bytes", container: "map" },
      parts: { number: 14, type: "test.All", container: "map" },
      embedded: { number: 15, type: "test.Embedded", isInline: true },
      far: { number: 300, type: "string" },
    },
    "test.Embedded": { deep: { number: 1, type: "string" }, more: { number: 2, type: "int32" } },
    "test.Lone": { int: { number: 1, type: "int64" } },
  }),
);
const decode = (hex: string) => codec.decode(fromHex(hex), "test.All");

describe("decoding", () => {
  for (const [fact, hex, json] of [
    ["nothing is there that the bytes have not", "", {}],
    ["a zero that is said is there", "1000", { int: 0 }],
    ["an empty text that is said is there", "0a00", { text: "" }],
    ["false that is said is there", "2000", { flag: false }],
    ["an empty message is an empty object", "3a00", { inner: {} }],
    ["empty bytes are empty base64", "2a00", { bytes: "" }],
    ["bytes are base64", "2a03 00ff41", { bytes: "AP9B" }],
    ["text is UTF-8", "0a04 f09f9880", { text: "😀" }],
    ["text that is not UTF-8 has U+FFFD in its place", "0a03 61ff62", { text: "a\ufffdb" }],
    ["an int32 keeps its low 32 bits", "10 ffffffff1f", { int: -1 }],
    ["an int32 may be negative", "10 80808080f8ffffffff01", { int: -2147483648 }],
    ["an int64 is exact to 2^53", "18 ffffffffffffff0f", { long: 9007199254740991 }],
    ["an int64 beyond is rounded, as JSON.parse does", "18 ffffffffffffffff7f", { long: 2 ** 63 }],
    ["an int64 may be the least there is", "18 80808080808080808001", { long: -(2 ** 63) }],
    ["a varint may be longer than it need be", "10 8580808000", { int: 5 }],
    ["a bool is whatever is not 0, in 64 bits", "20 8080808010", { flag: true }],
    ["a double is a double", "31 000000000000f83f", { double: 1.5 }],
    ["lists are in order", "4201 61 4200 4201 62", { texts: ["a", "", "b"] }],
    ["numbers may come one by one", "4801 4802", { ints: [1, 2] }],
    ["numbers may come packed", "4a03 018001 4803", { ints: [1, 128, 3] }],
    ["packed may be empty", "4a00", { ints: [] }],
    ["bools may come packed", "5202 0100", { flags: [true, false] }],
    ["messages in lists", "5a00 5a02 1001", { inners: [{}, { int: 1 }] }],
    ["maps", "6206 0a0161 120162 6206 0a0163 120164", { words: { a: "b", c: "d" } }],
    ["the last of a key counts", "6206 0a0161 120162 6206 0a0161 120163", { words: { a: "c" } }],
    ["an entry's value may stand before its key", "6206 120162 0a0161", { words: { a: "b" } }],
    ["an entry may lack its value", "6203 0a0161", { words: { a: "" } }],
    ["an entry may lack its key", "6203 120162", { words: { "": "b" } }],
    ["an entry may be empty", "6200", { words: { "": "" } }],
    ["an entry may hold what nobody knows", "6208 0a0161 1801 120162", { words: { a: "b" } }],
    ["an entry without bytes has empty ones", "6a03 0a0161", { blobs: { a: "" } }],
    ["an entry without a message has an empty one", "7203 0a0161", { parts: { a: {} } }],
    ["what is embedded lies flat", "7a05 0a0178 1000", { deep: "x", more: 0 }],
    ["a tag may take two bytes", "e212 0178", { far: "x" }],
    ["the last of a scalar counts", "1001 1002", { int: 2 }],
    ["a message that comes twice is merged", "3a02 1001 3a03 0a0161", { inner: { int: 1, text: "a" } }],
    ["unknown fields are passed over", "a006 01 a106 0000000000000000 a206 0178 a506 00000000 1001", { int: 1 }],
    ["unknown groups are passed over, whatever they hold", "a306 0801 ab06 120161 ac06 a406 1001", { int: 1 }],
  ] as const) {
    test(fact, () => expect(decode(hex)).toEqual(json));
  }

  test("keys that JavaScript knows are keys like others", () => {
    const { words } = decode(
      `620e 0a09 ${toHex(Buffer.from("__proto__"))} 120178 6210 0a0b ${toHex(Buffer.from("constructor"))} 120179`,
    );
    expect(Object.entries(words as object)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(Object.getPrototypeOf(words)).toBe(Object.prototype);
  });
});

describe("an error says which field it is of:", () => {
  for (const [fact, hex, field] of [
    ["none, if the message itself is wrong", "80", ""],
    ["a message within", "3a01 10", "inner"],
    ["a message in a message in a list", "5a03 3a0110", "inners.inner"],
    ["a scalar", "31 000000000000f87f", "double"],
  ] as const) {
    test(fact, () => {
      try {
        decode(hex);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
        expect((error as ProtobufError).field).toBe(field);
        return;
      }
      throw new Error("it was read");
    });
  }
});

describe("refused", () => {
  for (const [fact, hex, message] of [
    ["a tag that is cut off", "80", "unexpected EOF"],
    ["a number that is missing", "10", "unexpected EOF"],
    ["a number that is cut off", "10 80", "unexpected EOF"],
    ["text longer than what is left", "0a05 61", "unexpected EOF"],
    ["a message longer than the one around it", "3a02 0a05", "unexpected EOF"],
    ["a message that reads on into its neighbour", "3a01 10 1001", "unexpected EOF"],
    ["a double that is cut off", "31 0000", "unexpected EOF"],
    ["a length of 2^31", "0a 8080808008", "unexpected EOF"],
    ["a length of 2^32", "0a 8080808010", "unexpected EOF"],
    ["a length below zero", "0a ffffffffffffffffff01", "negative length"],
    ["a number of eleven bytes", "10 ffffffffffffffffffff01", "integer overflow"],
    ["field 0", "0001", "proto: All: illegal tag 0 (wire type 0)"],
    ["field 0 within an unknown group", "a306 0001 a406", "illegal tag"],
    ["a field number beyond 32 bits", "808080808010 01", "illegal tag"],
    ["a known field of another wire type", "0801", "proto: wrong wireType = 0 for field Text"],
    ["a list of texts of another wire type", "4001", "proto: wrong wireType = 0 for field Texts"],
    ["a list of numbers of another wire type", "4d00000000", "proto: wrong wireType = 5 for field Ints"],
    ["a group's end without its beginning", "0c", "proto: All: wiretype end group for non-group"],
    ["an unknown group without an end", "a306 0801", "unexpected EOF"],
    ["a wire type that is none", "a606 01", "illegal wireType 6"],
    ["an unknown field that is cut off", "a206 05 61", "unexpected EOF"],
    ["an embedded message that comes in parts", "7a03 0a0178 7a02 1001", "proto: Embedded comes in parts"],
    ["not a number", "31 000000000000f87f", "unsupported value: NaN"],
    ["infinity", "31 000000000000f0ff", "unsupported value: -Infinity"],
  ] as const) {
    test(fact, () => expect(() => decode(hex)).toThrow(message));
  }

  test("parts of parts of messages, deeper than eight levels", () => {
    const split = (depth: number): number[] => {
      if (depth === 0) return [0x10, 1];
      const inner = split(depth - 1);
      return [0x3a, ...lengthOf(inner.length), ...inner, 0x3a, 0];
    };
    let at: unknown = codec.decode(Uint8Array.from(split(8)), "test.All");
    for (let i = 0; i < 8; i++) at = (at as { inner: unknown }).inner;
    expect(at).toEqual({ int: 1 });
    expect(() => codec.decode(Uint8Array.from(split(9)), "test.All")).toThrow("come in parts");
  });

  test("messages nested deeper than a thousand", () => {
    const nested = (depth: number) => {
      const bytes: number[] = [];
      for (let i = 0; i < depth; i++) bytes.unshift(0x3a, ...lengthOf(bytes.length));
      return Uint8Array.from(bytes);
    };
    let at: unknown = codec.decode(nested(1000), "test.All");
    for (let i = 0; i < 1000; i++) at = (at as { inner: unknown }).inner;
    expect(at).toEqual({});
    expect(() => codec.decode(nested(1001), "test.All")).toThrow("deeper than 1000");
    expect(() => codec.decode(nested(100_000).subarray(0, 50), "test.All")).toThrow("unexpected EOF");
  });
});

/** As a varint. */
const lengthOf = (length: number) => (length < 128 ? [length] : [(length & 127) | 128, length >> 7]);

describe("encoding", () => {
  const encode = (object: object, message = "test.All") => toHex(codec.encode(object, message));

  for (const [fact, object, hex] of [
    ["what is not there is not written", { text: undefined, inner: null, texts: [], words: {} }, "7a00"],
    ["zeros that are there are", { text: "", int: 0, flag: false }, "0a00 1000 2000 7a00"],
    ["fields stand in the order of their numbers", { far: "x", long: 1, text: "a" }, "0a0161 1801 7a00 e212 0178"],
    ["an empty object is an empty message, embedded ones included", { inner: {} }, "3a02 7a00 7a00"],
    ["a negative int32 takes ten bytes", { int: -2 }, "10 feffffffffffffffff01 7a00"],
    ["an int64 is exact to 2^53", { long: -9007199254740991 }, "18 81808080808080f0ff01 7a00"],
    ["a rounded 2^63-1 is that again", { long: 2 ** 63 }, "18 ffffffffffffffff7f 7a00"],
    ["the least int64 there is", { long: -(2 ** 63) }, "18 80808080808080808001 7a00"],
    ["a double is a double", { double: 1.5 }, "31 000000000000f83f 7a00"],
    ["numbers in lists are not packed", { ints: [1, 0, 128] }, "4801 4800 488001 7a00"],
    ["null in a list is a zero", { texts: [null, "a"], inners: [null] }, "4200 420161 5a02 7a00 7a00"],
    ["maps are sorted", { words: { b: "2", a: "1" } }, "6206 0a0161 120131 6206 0a0162 120132 7a00"],
    [
      "maps are sorted by bytes",
      { words: { "😀": "2", "\uffee": "1" } },
      "6208 0a03 efbfae 120131 6209 0a04 f09f9880 120132 7a00",
    ],
    ["null in a map is a zero", { words: { a: null } }, "6205 0a0161 1200 7a00"],
    ["bytes that are null are not written", { blobs: { a: null, b: "" } }, "6a03 0a0161 6a05 0a0162 1200 7a00"],
    ["what is embedded is gathered", { deep: "x" }, "7a03 0a0178"],
    ["fields without a number are left out", { unheard: "of" }, "7a00"],
    ["text is UTF-8", { text: "é" }, "0a02 c3a9 7a00"],
    ["half a character is U+FFFD", { text: "\ud83d" }, "0a03 efbfbd 7a00"],
  ] as const) {
    test(fact, () => expect(encode(object)).toBe(hex.replaceAll(" ", "")));
  }

  test("lengths of two and more bytes", () => {
    for (const length of [127, 128, 16_383, 16_384, 3_000_000]) {
      const text = "é".repeat(length / 2) + "a".repeat(length % 2);
      expect(codec.decode(codec.encode({ text, inner: { text } }, "test.All"), "test.All")).toEqual({
        text,
        inner: { text },
      });
    }
  });

  test("what one object leaves behind is not in the next", () => {
    expect(() => codec.encode({ far: "x", text: 5 }, "test.All")).toThrow();
    expect(encode({ int: 1 }, "test.Lone")).toBe("0801");
  });
});

describe("real messages", async () => {
  const { decodeMessage, encodeMessage } = await loadProtobuf();
  const core = "k8s.io.api.core.v1";
  for (const [fact, message, object, hex] of [
    ["what Go holds by value is written when it is not there", "LocalObjectReference", {}, "0a00"],
    ["what Go holds by pointer is not", "TypedLocalObjectReference", {}, "1200 1a00"],
    [
      "what Go holds by pointer is written when it is zero",
      "TypedLocalObjectReference",
      { apiGroup: "" },
      "0a00 1200 1a00",
    ],
    ["an embedded struct is written always", "Volume", { name: "v" }, "0a0176 1200"],
    ["a pointer within it is written when it is there", "Volume", { name: "v", emptyDir: {} }, "0a0176 1204 1202 0a00"],
    ["a quantity by value is 0", "ResourceFieldSelector", {}, "0a00 1200 1a03 0a0130"],
    ["an int or string by value is 0", "TCPSocketAction", {}, "0a06 0800 1000 1a00 1200"],
    ["a time by value is empty", "ContainerStateRunning", {}, "0a00"],
  ] as const) {
    test(fact, () => {
      expect(toHex(encodeMessage(object, `${core}.${message}`))).toBe(hex.replaceAll(" ", ""));
      expect(decodeMessage(fromHex(hex), `${core}.${message}`)).toMatchObject(object);
    });
  }

  test("a message nobody knows is an error of ours", () => {
    expect(() => decodeMessage(new Uint8Array(), "k8s.io.api.core.v1.Pot")).toThrow("there is no message");
    expect(() => encodeMessage({}, "k8s.io.api.core.v1.Pot")).toThrow("there is no message");
  });
});
