import { describe, expect, test } from "vitest";
import { deferredBytes, equalObjects, loadProtobuf } from "./index.ts";

const protobuf = await loadProtobuf();
const message = "k8s.io.api.core.v1.Pod";
const metadata = { name: "web", resourceVersion: "7", managedFields: [{ manager: "kubelet" }] };
const spec = { containers: null, nodeName: "n1" };
const full = { apiVersion: "v1", kind: "Pod", metadata, spec, status: { phase: "Running" } };
const lazy = (changes: object = {}) =>
  protobuf.decodeLazily(protobuf.encodeRaw({ ...full, ...changes }), message, { apiVersion: "v1", kind: "Pod" });
const plain = () => protobuf.decodeMessage(protobuf.encodeRaw(full), message, full);
const read = (object: Record<string, unknown>) => {
  JSON.stringify(object);
  return object;
};
const malformed = () => protobuf.decodeLazily(Uint8Array.of(0x12, 2, 0x08, 1), message, full);

describe("two objects", () => {
  for (const [fact, one, other, expected] of [
    ["with the same bytes are equal", lazy(), lazy(), true],
    ["of which one was read are equal", read(lazy()), lazy(), true],
    ["of which the other is plain are equal", lazy(), plain(), true],
    ["that are both plain are equal", plain(), plain(), true],
    ["with other bytes differ", lazy(), lazy({ status: { phase: "Failed" } }), false],
    ["with other labels differ", lazy(), lazy({ metadata: { ...metadata, labels: { a: "b" } } }), false],
    ["with another version differ", lazy(), lazy({ metadata: { ...metadata, resourceVersion: "8" } }), false],
    [
      "with other managers differ",
      lazy(),
      lazy({ metadata: { ...metadata, managedFields: [{ manager: "me" }] } }),
      false,
    ],
    ["of which one has a field less differ", lazy(), lazy({ status: undefined }), false],
    ["of other versions of the API differ", lazy(), { ...plain(), apiVersion: "v2" }, false],
    ["with the same malformed bytes are equal", malformed(), malformed(), true],
  ] as const) {
    test(fact, () => {
      expect(equalObjects(one, other)).toBe(expected);
      expect(equalObjects(other, one)).toBe(expected);
    });
  }

  test("are compared without being decoded where they have the same bytes", () => {
    const [one, other] = [lazy(), lazy()];
    const bytes = deferredBytes(one);
    expect(equalObjects(one, other)).toBe(true);
    expect([deferredBytes(one), deferredBytes(other)]).toEqual([bytes, bytes]);
    expect(bytes).toBeGreaterThan(0);
  });

  test("cannot be compared where bytes differ and are malformed", () => {
    const empty = protobuf.decodeLazily(Uint8Array.of(0x12, 0), message, full);
    expect(() => equalObjects(malformed(), empty)).toThrow("Pod: spec: proto: wrong wireType");
  });
});
