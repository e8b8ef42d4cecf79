// Whatever bytes come: an object or a 400, never anything else, and at a cost in proportion to their number. Whatever object
// goes out: it comes back.
import { StatusError, schemaOfKind } from "@kubeloop/core/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawnObject } from "./drawn-object.fixture.ts";
import { readEncodings, withoutZeros } from "./encodings.fixture.ts";
import { loadProtobuf } from "./index.ts";
import { toHex } from "./small-table.fixture.ts";

const protobuf = await loadProtobuf();
const encodings = readEncodings();

/** The outcome a client would see. */
function outcomeOf(bytes: Uint8Array): "read" | "refused" {
  try {
    protobuf.decodeEnvelope(bytes, { apiVersion: "v1", kind: "ConfigMap" });
    return "read";
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) return "refused";
    throw error;
  }
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

describe("three megabytes cost no more than their share of", () => {
  const size = 3 * 1024 * 1024;
  const share = 8;
  const filled = (pattern: readonly number[]) => (length: number) => Buffer.alloc(length, Uint8Array.from(pattern));
  const wrap = (kind: string, raw: Uint8Array) => protobuf.wrapRaw({ apiVersion: "v1", kind }, raw);
  for (const [what, kind, fill] of [
    ["empty list items", "PodList", filled([0x12, 0x00])],
    ["empty map entries", "ConfigMap", filled([0x12, 0x00])],
    ["different map entries", "ConfigMap", manyEntries],
    ["metadata to be merged", "ConfigMap", filled([0x0a, 0x00])],
    ["unknown fields", "ConfigMap", filled([0xf8, 0x01, 0x01])],
    ["groups that open", "ConfigMap", filled([0xfb, 0x01])],
    ["zeros", "ConfigMap", filled([0x00])],
    ["the highest byte", "ConfigMap", filled([0xff])],
    ["raw brackets", "ConfigMap", nestedRaw],
  ] as const) {
    test(what, () => {
      const [part, whole] = [cpuOf(wrap(kind, fill(size / share))), cpuOf(wrap(kind, fill(size)))];
      // In proportion it is eight times as much, in the square of it sixty-four; what starts up and cleans up weighs on either.
      expect(whole).toBeLessThan(3 * share * part + 100);
    });
  }

  /** Milliseconds of the processor: what else the machine does is no matter. */
  function cpuOf(bytes: Uint8Array): number {
    const begun = process.cpuUsage();
    outcomeOf(bytes);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  }

  function manyEntries(limit: number): Uint8Array {
    const entries: Uint8Array[] = [];
    for (let i = 0, length = 0; length < limit; i++) {
      const key = Buffer.from(i.toString(36).padStart(6, "0"));
      const entry = Buffer.concat([Uint8Array.of(0x12, 8, 0x0a, 6), key]);
      entries.push(entry);
      length += entry.length;
    }
    return Buffer.concat(entries);
  }

  /** In the managed fields of the metadata. */
  function nestedRaw(limit: number): Uint8Array {
    const entry = (tag: number[], content: Uint8Array) =>
      Buffer.concat([Buffer.from(tag), varint(content.length), content]);
    const raw = entry([0x0a], Buffer.alloc(limit, "["));
    return entry([0x0a], entry([0x8a, 0x01], entry([0x3a], raw)));
  }
});

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

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
          const { value } = protobuf.decodeEnvelope(bytes);
          expect(withoutZeros(value)).toEqual(withoutZeros(object));
          expect(toHex(protobuf.encodeEnvelope({ ...value, ...kind }))).toBe(toHex(bytes));
        }),
        { numRuns: 60 },
      );
    });
  }
});
