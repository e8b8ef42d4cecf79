import { allResources } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { type Encoding, readEncodings, withoutZeros } from "./encodings.fixture.ts";
import { hasProtobuf, loadProtobuf } from "./index.ts";

const protobuf = await loadProtobuf();
const encodings = readEncodings();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const byKind = new Map<string, Encoding[]>();
for (const encoding of encodings) {
  const kind = `${encoding.object.apiVersion} ${encoding.object.kind}`;
  byKind.set(kind, [...(byKind.get(kind) ?? []), encoding]);
}

test("every kind that a default server serves is among the facts", () => {
  const served = allResources().filter((resource) => resource.servedByDefault);
  expect(served.length).toBeGreaterThan(60);
  for (const { apiVersion, kind } of served) expect([...byKind.keys()]).toContain(`${apiVersion} ${kind}`);
});

describe("an object", () => {
  for (const [kind, ofKind] of byKind) {
    test(`${kind} is encoded as Kubernetes does, byte for byte`, () => {
      expect(hasProtobuf(ofKind[0]?.object.apiVersion ?? "", ofKind[0]?.object.kind ?? "")).toBe(true);
      for (const { object, bytes } of ofKind) expect(hex(protobuf.encodeEnvelope(object))).toBe(hex(bytes));
    });

    test(`${kind} is decoded to what was encoded`, () => {
      for (const { object, bytes } of ofKind) {
        const { apiVersion, kind: name, value } = protobuf.decodeEnvelope(bytes);
        expect(Object.entries(value).slice(0, 2)).toEqual([
          ["kind", object.kind],
          ["apiVersion", object.apiVersion],
        ]);
        expect(withoutZeros(value)).toEqual(withoutZeros(object));
        // A zero that is said where Go holds a pointer comes back: without it these bytes could not be made again.
        expect(hex(protobuf.encodeEnvelope({ ...value, apiVersion, kind: name }))).toBe(hex(bytes));
      }
    });
  }
});
