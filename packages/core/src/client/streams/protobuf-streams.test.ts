import { describe, expect, test } from "vitest";
import { deferredBytes, loadProtobuf, type ResponseBody } from "../../api/index.ts";
import { FakeClock } from "../../base/fake-clock.ts";
import { decodeList } from "./list-stream.ts";
import { decodeWatch } from "./watch-stream.ts";

const protobuf = await loadProtobuf();
const clock = new FakeClock();
const neverAborted = new AbortController().signal;

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  // One buffer again and again, as a socket may use it.
  const buffer = Buffer.alloc(size);
  for (let from = 0; from < bytes.length; from += size) {
    const part = bytes.subarray(from, from + size);
    buffer.fill(0xee);
    buffer.set(part);
    yield buffer.subarray(0, part.length);
  }
}

const bodyOf = (bytes: Uint8Array, size: number): ResponseBody => ({ kind: "bytes", bytes: chunked(bytes, size) });

async function readList(bytes: Uint8Array, { size = 1 << 20, maxValueBytes = 1 << 20 } = {}) {
  const list = decodeList(bodyOf(bytes, size), { clock, protobuf, maxValueBytes }, neverAborted);
  const items: object[] = [];
  for await (const batch of list.batches()) items.push(...batch);
  return { items, metadata: list.metadata };
}

async function readWatch(bytes: Uint8Array, { size = 1 << 20, maxValueBytes = 1 << 20 } = {}) {
  const events: unknown[] = [];
  const watch = decodeWatch(bodyOf(bytes, size), { clock, protobuf, maxValueBytes }, neverAborted);
  for await (const batch of watch.batches()) events.push(...batch);
  return events;
}

const pod = (name: string, more: object = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name, resourceVersion: "7" },
  spec: { containers: null, nodeName: "é".repeat(100) },
  status: { phase: "Running" },
  ...more,
});
const listHead = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9", continue: "c" } };
const listOf = (objects: readonly { readonly kind: string; readonly apiVersion: string }[], head: object = listHead) =>
  protobuf.encodeListEnvelope(
    head as typeof listHead,
    objects.map((object) => protobuf.encodeRaw(object)),
  );

const sizes = [1, 3, 7, 64, 1000, 1 << 20];

describe("a list", () => {
  const names = Array.from({ length: 30 }, (_, i) => `pod-${i}`);
  for (const size of sizes) {
    test(`is cut into its items, ${size} bytes at a time`, async () => {
      const { items, metadata } = await readList(listOf(names.map((name) => pod(name))), { size });
      expect(metadata).toEqual({ resourceVersion: "9", continue: "c" });
      expect(items.every((item) => deferredBytes(item) > 0)).toBe(true);
      expect(items).toEqual(names.map((name) => pod(name)));
    });
  }

  test("may be empty", async () => {
    expect(await readList(listOf([]))).toEqual({ items: [], metadata: listHead.metadata });
  });

  test("may be one of metadata", async () => {
    const head = { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata: {} };
    const item = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } };
    expect(await readList(listOf([item], head), { size: 5 })).toEqual({ items: [item], metadata: {} });
  });

  test("that is a Status is thrown", async () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "Expired",
      message: "too old",
      code: 410,
    };
    for (const size of sizes) {
      await expect(readList(protobuf.encodeEnvelope(status), { size })).rejects.toMatchObject({
        code: 410,
        reason: "Expired",
      });
    }
  });

  const whole = Buffer.from(listOf([pod("a"), pod("b")]));
  for (const [fact, bytes, error] of [
    [
      "is JSON",
      Buffer.from('{"kind":"PodList"}'),
      { reason: "Decode", message: expect.stringContaining("no protobuf") },
    ],
    [
      "is a single object",
      protobuf.encodeEnvelope(pod("a")),
      { reason: "Decode", message: expect.stringContaining('"Pod"') },
    ],
    [
      "is of a kind that nobody knows",
      protobuf.wrapRaw({ kind: "WidgetList", apiVersion: "example.com/v1" }, new Uint8Array()),
      { reason: "Decode", message: expect.stringContaining('"WidgetList"') },
    ],
    ["says no kind", Buffer.from("k8s\0"), { reason: "Decode", message: expect.stringContaining("says no kind") }],
    ["is empty", Buffer.alloc(0), { reason: "UnexpectedEnd" }],
    ["ends within an item", whole.subarray(0, whole.length - 100), { reason: "UnexpectedEnd" }],
    ["ends within its envelope", whole.subarray(0, whole.length - 1), { reason: "UnexpectedEnd" }],
    [
      "has an item whose metadata is malformed",
      protobuf.encodeListEnvelope(listHead, [Uint8Array.of(0x0a, 2, 0x08, 1)]),
      {
        reason: "Decode",
        message: expect.stringContaining("items[0]: Pod: metadata: proto: wrong wireType = 0 for field Name"),
      },
    ],
    [
      "has an item that is longer than the list",
      protobuf.wrapRaw(listHead, Uint8Array.of(0x12, 100, 0x0a)),
      { reason: "Decode", message: expect.stringContaining("longer than the list") },
    ],
    ["has a field of no wire type", protobuf.wrapRaw(listHead, Uint8Array.of(0x0f)), { reason: "Decode" }],
    [
      "comes in parts",
      Buffer.concat([whole, whole.subarray(4)]),
      { reason: "Decode", message: expect.stringContaining("in parts") },
    ],
  ] as const) {
    test(`is refused that ${fact}`, async () => {
      for (const size of sizes) await expect(readList(bytes, { size }), String(size)).rejects.toMatchObject(error);
    });
  }

  test("is refused whose item is larger than the limit, before it has arrived", async () => {
    const bytes = listOf([pod("a", { spec: { containers: null, nodeName: "x".repeat(5000) } })]);
    const error = { reason: "TooLarge" };
    await expect(readList(bytes.subarray(0, 200), { size: 50, maxValueBytes: 1000 })).rejects.toMatchObject(error);
    expect((await readList(bytes, { size: 50, maxValueBytes: 10_000 })).items.length).toBe(1);
  });

  test("gives the items before a fault", async () => {
    const list = decodeList(bodyOf(whole.subarray(0, whole.length - 100), 10), { clock, protobuf }, neverAborted);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const batch of list.batches()) seen.push(...batch);
    })();
    await expect(reading).rejects.toMatchObject({ reason: "UnexpectedEnd" });
    expect(seen).toEqual([pod("a")]);
  });
});

describe("a watch", () => {
  const frame = (type: string, object: { readonly kind: string; readonly apiVersion: string }) =>
    protobuf.encodeWatchFrame(type, protobuf.encodeEnvelope(object));
  const bookmark = pod("", { metadata: { resourceVersion: "12" }, spec: { containers: null }, status: {} });
  const gone = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Expired", code: 410 };
  const bytes = Buffer.concat([
    frame("ADDED", pod("a")),
    frame("MODIFIED", pod("a")),
    frame("BOOKMARK", bookmark),
    frame("DELETED", pod("a")),
    frame("ERROR", gone),
  ]);

  for (const size of sizes) {
    test(`is cut into its events, ${size} bytes at a time`, async () => {
      expect(await readWatch(bytes, { size })).toEqual([
        { type: "ADDED", object: pod("a") },
        { type: "MODIFIED", object: pod("a") },
        { type: "BOOKMARK", object: bookmark },
        { type: "DELETED", object: pod("a") },
        { type: "ERROR", object: gone },
      ]);
    });
  }

  for (const [fact, stream, error] of [
    ["of an unknown type", frame("GROWN", pod("a")), { reason: "Decode", message: expect.stringContaining("GROWN") }],
    [
      "of an unknown kind",
      protobuf.encodeWatchFrame("ADDED", protobuf.wrapRaw({ kind: "Pot", apiVersion: "v1" }, new Uint8Array())),
      { reason: "Decode", message: expect.stringContaining("Pot") },
    ],
    [
      "without an object",
      protobuf.encodeWatchFrame("ADDED", new Uint8Array()),
      { reason: "Decode", message: expect.stringContaining("empty data") },
    ],
    ["that is JSON", Buffer.from('{"type":"ADDED","object":{}}\n'), { reason: "TooLarge" }],
    [
      "whose bookmark has no version",
      frame("BOOKMARK", { kind: "Pod", apiVersion: "v1" }),
      { reason: "Decode", message: expect.stringContaining("resourceVersion") },
    ],
    ["that ends within a frame", bytes.subarray(0, bytes.length - 1), { reason: "UnexpectedEnd" }],
    ["that ends within a length", Buffer.concat([bytes, Buffer.alloc(2)]), { reason: "UnexpectedEnd" }],
    [
      "whose frame is cut short",
      Buffer.from([0, 0, 0, 3, 0x0a, 5, 0x41]),
      { reason: "Decode", message: expect.stringContaining("unexpected EOF") },
    ],
  ] as const) {
    test(`is refused ${fact}`, async () => {
      for (const size of sizes) await expect(readWatch(stream, { size }), String(size)).rejects.toMatchObject(error);
    });
  }
});
