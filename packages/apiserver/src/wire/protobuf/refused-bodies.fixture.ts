// Bodies that no server takes for a ConfigMap, and what a real one says of each. The same rows are sent to it.

/** One that is shorter than 128 bytes. */
export const field = (tag: string, content: string): string =>
  tag + (content.length / 2).toString(16).padStart(2, "0") + content;
export const text = (word: string): string => Buffer.from(word).toString("hex");
export const envelopeHex = (apiVersion: string, kind: string, raw: string): string =>
  `6b387300${field("0a", field("0a", text(apiVersion)) + field("12", text(kind)))}${field("12", raw)}`;

const unrecognized = (fault: string, summary: string) =>
  `the object provided is unrecognized (must be of type ConfigMap): ${fault} (${summary})`;
const unhandled = (fault: string, kind = "ConfigMap") =>
  `${kind} in version "v1" cannot be handled as a ConfigMap: ${fault}`;
const configMap = (raw: string) => envelopeHex("v1", "ConfigMap", raw);
const noPrefix = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
const json = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}';

const rows: readonly (readonly [fact: string, hex: string, message: string])[] = [
  ["it is empty", "", unrecognized("empty data", "<empty>")],
  ["it is JSON", text(json), unrecognized(noPrefix, '{"kind":"ConfigMap","apiVersio ...')],
  ["it is something else", text("hello world"), unrecognized(noPrefix, "68656c6c6f20776f726c64")],
  ["it is shorter than the prefix", "6b38", unrecognized(noPrefix, "6b38")],
  ["it is the prefix only", "6b387300", unrecognized("empty body", "6b387300")],
  ["its envelope is cut off", "6b3873000a0f0a02763112", unrecognized("unexpected EOF", "6b3873000a0f0a02763112")],
  [
    "its kind is unknown",
    envelopeHex("v1", "Foo", ""),
    unhandled(`no kind "Foo" is registered for version "v1" ${scheme}`, "Foo"),
  ],
  [
    "its group is unknown",
    envelopeHex("example.com/v1", "ConfigMap", ""),
    unhandled(`no kind "ConfigMap" is registered for version "example.com/v1" ${scheme}`),
  ],
  ["its object is cut off", configMap("0a040a"), unhandled("unexpected EOF")],
  ["a field has another type", configMap("0801"), unhandled("proto: wrong wireType = 0 for field ObjectMeta")],
  ["a field has a type that is none", configMap("0e00"), unhandled("proto: wrong wireType = 6 for field ObjectMeta")],
  [
    "a field of the metadata has another type",
    configMap("0a020801"),
    unhandled("proto: wrong wireType = 0 for field Name"),
  ],
  ["a group ends", configMap("0c"), unhandled("proto: ConfigMap: wiretype end group for non-group")],
  ["a field is number 0", configMap("00"), unhandled("proto: ConfigMap: illegal tag 0 (wire type 0)")],
  ["a number is too long", configMap("ffffffffffffffffffffff01"), unhandled("proto: integer overflow")],
  [
    "a length is negative",
    configMap("0affffffffffffffffff01"),
    unhandled("proto: negative length found during unmarshaling"),
  ],
  ["a length is huge", configMap("0affffffff0f"), unhandled("unexpected EOF")],
  ["an unknown field has a type that is none", configMap("fe0100"), unhandled("proto: illegal wireType 6")],
  ["an unknown group does not end", configMap("fb010805"), unhandled("unexpected EOF")],
];

export const refusedBodies = rows.map(([fact, hex, message]) => ({ fact, hex, message }));

export const fromHex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
