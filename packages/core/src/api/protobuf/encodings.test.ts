import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allResources } from "../resources.ts";
import { type Encoding, encodingsFile, parseEncodings, withoutZeros } from "./encodings.fixture.ts";
import { hasProtobuf, loadProtobuf } from "./index.ts";

const protobuf = await loadProtobuf();
const encodings = parseEncodings(readFileSync(encodingsFile));
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

/** Go writes bytes that are empty, and prints them only where they are not `omitempty`. */
const emptyBytesOmitted = new Set(["MutatingWebhookConfiguration", "CertificateSigningRequest"]);

/** A server's JSON says of which kind the claims of a StatefulSet are. */
function withClaimKinds(object: Encoding["object"]): unknown {
  return JSON.parse(JSON.stringify(object), (key, value) =>
    key === "volumeClaimTemplates" && Array.isArray(value)
      ? value.map((claim) => ({ kind: "PersistentVolumeClaim", apiVersion: "v1", ...claim }))
      : value,
  );
}

describe("an object", () => {
  for (const [kind, ofKind] of byKind) {
    test(`${kind} is encoded as Kubernetes does, byte for byte`, () => {
      expect(hasProtobuf(ofKind[0]?.object.apiVersion ?? "", ofKind[0]?.object.kind ?? "")).toBe(true);
      for (const { object, bytes } of ofKind) expect(hex(protobuf.encodeEnvelope(object))).toBe(hex(bytes));
    });

    test(`${kind} is decoded to what was encoded`, () => {
      for (const { object, bytes } of ofKind) {
        const value = protobuf.decodeEnvelope(bytes);
        const { apiVersion, kind: name } = object;
        expect(Object.entries(value).slice(0, 2)).toEqual([
          ["kind", object.kind],
          ["apiVersion", object.apiVersion],
        ]);
        expect(withoutZeros(value)).toEqual(withoutZeros(withClaimKinds(object)));
        // A zero that is said where Go holds a pointer comes back: without it these bytes could not be made again.
        const again = protobuf.encodeEnvelope({ ...value, apiVersion, kind: name });
        if (!emptyBytesOmitted.has(name)) expect(hex(again)).toBe(hex(bytes));
        expect(JSON.stringify(protobuf.decodeEnvelope(again))).toBe(JSON.stringify(value));
      }
    });
  }
});
