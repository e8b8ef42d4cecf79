// Whatever bytes come, what they cost is in proportion to their number.
import "@kubeloop/counted-work";
import { expectLinearWork } from "@kubeloop/counted-work";
import { describe, test } from "vitest";
import { loadProtobuf, ProtobufError } from "./index.ts";

const protobuf = await loadProtobuf();

/** Any other error is a fault of the codec. */
function outcomeOf(bytes: Uint8Array): "read" | "refused" {
  try {
    protobuf.decodeEnvelope(bytes);
    return "read";
  } catch (error) {
    if (error instanceof ProtobufError) return "refused";
    throw error;
  }
}

describe("eight times as much costs no more than its share of", () => {
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
    test(what, () => expectLinearWork(4 * 1024, (length) => outcomeOf(wrap(kind, fill(length)))));
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
