// Whatever bytes come: an object or a ProtobufError, never anything else. Whatever object goes out: it comes back.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemaOfKind } from "../schema-table.ts";
import { drawnObject } from "./drawn-object.fixture.ts";
import { encodingsFile, parseEncodings, withoutZeros } from "./encodings.fixture.ts";
import { loadProtobuf, ProtobufError } from "./index.ts";
import { toHex } from "./small-table.fixture.ts";

const protobuf = await loadProtobuf();
const encodings = parseEncodings(readFileSync(encodingsFile));

/** Any other error is a fault of the codec. */
function attempt<T>(decode: () => T): T | "refused" {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ProtobufError) return "refused";
    throw error;
  }
}

/** Decoded at once and when it is looked at, the same comes out, or nothing does. */
function outcomeOf(bytes: Uint8Array): "read" | "refused" {
  const atOnce = attempt(() => JSON.stringify(protobuf.decodeEnvelope(bytes)));
  const whenLookedAt = attempt(() => {
    const { typeMeta, raw } = protobuf.openEnvelope(bytes);
    const message = protobuf.messageOfKind(typeMeta);
    return message === undefined ? "refused" : JSON.stringify(protobuf.decodeLazily(raw, message, typeMeta));
  });
  expect(whenLookedAt).toBe(atOnce);
  return atOnce === "refused" ? "refused" : "read";
}

const anEncoding = fc.constantFrom(...encodings.map(({ bytes }) => bytes));

describe("hostile bytes", () => {
  test("random ones are refused, or read", () => {
    const prefixed = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.concat([Buffer.from("k8s\0"), bytes]));
    fc.assert(
      fc.property(prefixed, (bytes) => void outcomeOf(bytes)),
      { numRuns: 3000 },
    );
  });

  test("real ones with a few bytes changed are refused, or read", () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(anEncoding, changes, (bytes, changed) => {
        const mutated = Buffer.from(bytes);
        for (const [at, byte] of changed) mutated[4 + (at % (mutated.length - 4))] = byte;
        outcomeOf(mutated);
      }),
      { numRuns: 5000 },
    );
  });

  test("real ones with a piece cut out, or put in twice, are refused, or read", () => {
    fc.assert(
      fc.property(anEncoding, fc.nat(), fc.nat(60), fc.boolean(), (bytes, at, length, isTwice) => {
        const start = 4 + (at % (bytes.length - 4));
        const rest = bytes.subarray(isTwice ? start : start + length);
        outcomeOf(Buffer.concat([bytes.subarray(0, isTwice ? start + length : start), rest]));
      }),
      { numRuns: 3000 },
    );
  });

  test("a message cut off is refused unless what is left is whole", () => {
    for (const { bytes } of encodings.filter((_, i) => i % 20 === 0)) {
      const outcomes = new Set<string>();
      for (let length = 0; length < bytes.length; length++) outcomes.add(outcomeOf(bytes.subarray(0, length)));
      expect(outcomes).toContain("refused");
    }
  });
});

describe("an object of a kind, drawn from its schema, comes back", () => {
  for (const kind of [
    { apiVersion: "v1", kind: "Pod" },
    { apiVersion: "v1", kind: "Secret" },
    { apiVersion: "v1", kind: "Node" },
    { apiVersion: "v1", kind: "PersistentVolume" },
    { apiVersion: "apps/v1", kind: "Deployment" },
    { apiVersion: "batch/v1", kind: "CronJob" },
    { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
    { apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
    { apiVersion: "resource.k8s.io/v1", kind: "ResourceSlice" },
    { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" },
  ]) {
    test(`${kind.apiVersion} ${kind.kind}`, () => {
      const schema = schemaOfKind(kind);
      if (schema === undefined) throw new Error("it has no schema");
      fc.assert(
        fc.property(fc.nat(), (seed) => {
          const object = { ...drawnObject(schema, seed), ...kind };
          const bytes = protobuf.encodeEnvelope(object);
          const value = protobuf.decodeEnvelope(bytes);
          expect(withoutZeros(value)).toEqual(withoutZeros(object));
          expect(toHex(protobuf.encodeEnvelope({ ...value, ...kind }))).toBe(toHex(bytes));
        }),
        { numRuns: 60 },
      );
    });
  }
});
