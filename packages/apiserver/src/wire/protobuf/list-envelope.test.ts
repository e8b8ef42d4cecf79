import { describe, expect, test } from "vitest";
import { loadProtobuf } from "./index.ts";
import { toHex } from "./small-table.fixture.ts";

const protobuf = await loadProtobuf();
const pods = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: `pod-${i}` } }));
const head = { apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "7", remainingItemCount: 0 } };

describe("a list of", () => {
  for (const count of [0, 1, 2, 1000]) {
    const objects = pods(count);
    const raws = objects.map((object) => protobuf.encodeRaw(object));

    test(`${count} is what encoding it whole gives`, () => {
      const whole = protobuf.encodeEnvelope({ ...head, items: objects } as typeof head);
      expect(toHex(protobuf.encodeListEnvelope(head, raws))).toBe(toHex(whole));
    });

    test(`${count} comes in pieces that are the same bytes`, () => {
      const pieces = [...protobuf.listEnvelopePieces(head, raws)];
      expect(toHex(Buffer.concat(pieces))).toBe(toHex(protobuf.encodeListEnvelope(head, raws)));
      const bytes = raws.reduce((sum, raw) => sum + raw.length, 0);
      expect(pieces.length).toBe(1 + Math.floor(bytes / (64 * 1024)));
    });

    test(`${count} reads as a list, items without kind and version`, () => {
      const { value } = protobuf.decodeEnvelope(protobuf.encodeListEnvelope(head, raws));
      expect(value).toMatchObject(head);
      const items = (value["items"] ?? []) as readonly { readonly metadata: { readonly name: string } }[];
      expect(items.map(({ metadata }) => metadata.name)).toEqual(objects.map(({ metadata }) => metadata.name));
      expect(items.some((item) => "kind" in item)).toBe(false);
    });
  }
});

test("metadata views are listed in the same way", () => {
  const item = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "a" } };
  const list = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadataList", metadata: {} };
  const bytes = protobuf.encodeListEnvelope(list, [protobuf.encodeRaw(item)]);
  expect(toHex(bytes)).toBe(toHex(protobuf.encodeEnvelope({ ...list, items: [item] } as typeof list)));
});
