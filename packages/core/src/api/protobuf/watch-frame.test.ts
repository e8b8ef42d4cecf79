import { expect, test } from "vitest";
import { loadProtobuf } from "./index.ts";
import { toHex } from "./small-table.fixture.ts";

const { encodeEnvelope, encodeWatchFrame } = await loadProtobuf();

// As a real kube-apiserver 1.36 sent them to a watch with sendInitialEvents.
test("an event", () => {
  const object = {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      name: "a1",
      namespace: "default",
      uid: "b4519ce9-b400-4436-9a00-4bde77a385f2",
      resourceVersion: "200",
      creationTimestamp: "2026-11-16T03:40:35Z",
    },
  };
  expect(toHex(encodeWatchFrame("ADDED", encodeEnvelope(object)))).toBe(
    "000000700a05414444454412670a656b3873000a0f0a0276311209436f6e6669674d6170124a0a480a02613112001a0764656661756c7422002a" +
      "2462343531396365392d623430302d343433362d396130302d34626465373761333835663232033230303800420808b3f6e9d70610001a002200",
  );
});

test("a bookmark", () => {
  const object = {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      resourceVersion: "211",
      creationTimestamp: null,
      annotations: { "k8s.io/initial-events-end": "true" },
    },
  };
  expect(toHex(encodeWatchFrame("BOOKMARK", encodeEnvelope(object)))).toBe(
    "000000610a08424f4f4b4d41524b12550a536b3873000a0f0a0276311209436f6e6669674d617012380a360a0012001a0022002a003203323131" +
      "3800420062210a196b38732e696f2f696e697469616c2d6576656e74732d656e641204747275651a002200",
  );
});

test("lengths count whatever the object's size", () => {
  for (const size of [0, 100, 127, 128, 200, 16_384, 3_000_000]) {
    const frame = Buffer.from(encodeWatchFrame("MODIFIED", new Uint8Array(size)));
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  }
});
