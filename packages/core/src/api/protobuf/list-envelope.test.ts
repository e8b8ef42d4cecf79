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
      const whole = protobuf.encodeEnvelope({ ...head, items: objects });
      expect(toHex(protobuf.encodeListEnvelope(head, raws))).toBe(toHex(whole));
    });

    test(`${count} comes in pieces that are the same bytes`, () => {
      const pieces = [...protobuf.listEnvelopePieces(head, raws)];
      expect(toHex(Buffer.concat(pieces))).toBe(toHex(protobuf.encodeListEnvelope(head, raws)));
      const bytes = raws.reduce((sum, raw) => sum + raw.length, 0);
      expect(pieces.length).toBe(1 + Math.floor(bytes / (64 * 1024)));
    });

    test(`${count} reads as a list, items without kind and version`, () => {
      const value = protobuf.decodeEnvelope(protobuf.encodeListEnvelope(head, raws));
      expect(value).toMatchObject(head);
      const items = (value["items"] ?? []) as readonly { readonly metadata: { readonly name: string } }[];
      expect(items.map(({ metadata }) => metadata.name)).toEqual(objects.map(({ metadata }) => metadata.name));
      expect(items.some((item) => "kind" in item)).toBe(false);
    });
  }
});

describe("metadata views", () => {
  for (const [version, order] of [
    ["v1", "metadata first"],
    ["v1beta1", "items first"],
  ] as const) {
    const apiVersion = `meta.k8s.io/${version}`;
    const item = { apiVersion, kind: "PartialObjectMetadata", metadata: { name: "a" } };
    const head = { apiVersion, kind: "PartialObjectMetadataList", metadata: { resourceVersion: "7" } };

    test(`of ${version} are listed in the same way, ${order}`, () => {
      const bytes = toHex(protobuf.encodeListEnvelope(head, [protobuf.encodeRaw(item)]));
      expect(bytes).toBe(toHex(protobuf.encodeEnvelope({ ...head, items: [item] })));
      const ownMetadata = "120137";
      expect(bytes.indexOf(ownMetadata) < bytes.indexOf("0a0161")).toBe(version === "v1");
      expect(protobuf.decodeEnvelope(Buffer.from(bytes, "hex"))).toMatchObject({
        ...head,
        items: [{ metadata: { name: "a" } }],
      });
    });
  }
});
