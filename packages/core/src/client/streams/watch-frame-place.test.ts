import { describe, expect, test } from "vitest";
import { loadProtobuf } from "../../api/index.ts";
import { FakeClock, randomBelow, seededRandom } from "../../base/index.ts";
import { WatchFramePlace } from "./watch-frame-place.ts";
import { decodeWatch } from "./watch-stream.ts";

const protobuf = await loadProtobuf();
const clock = new FakeClock();
const never = new AbortController().signal;
const pod = (name: string) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name, resourceVersion: "7" },
  spec: { containers: null, nodeName: "n".repeat(300) },
  status: {},
});
const enveloped = Buffer.from(protobuf.encodeEnvelope(pod("a")));
const withoutTail = enveloped.subarray(0, -4);
const frameOf = (type: string, object: Uint8Array = enveloped) => Buffer.from(protobuf.encodeWatchFrame(type, object));

/** The fields of an event in another order, or with others between. */
function framed(...fields: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(fields);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
const varint = (value: number) =>
  value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >>> 7);
const field = (tag: number, value: Uint8Array) => Buffer.concat([Uint8Array.of(tag), varint(value.length), value]);
const type = field(0x0a, Buffer.from("ADDED"));
const object = field(0x12, field(0x0a, enveloped));
const unknown = Uint8Array.of(0x50, 1);

const isFound = (frame: Buffer) => new WatchFramePlace().find(frame, 4, frame.length);

async function read(frames: Uint8Array): Promise<readonly unknown[] | string> {
  async function* bytes() {
    yield frames;
  }
  const events: unknown[] = [];
  try {
    const watch = decodeWatch({ kind: "bytes", bytes: bytes() }, { clock, protobuf, maxValueBytes: 1 << 20 }, never);
    for await (const event of watch) events.push(JSON.parse(JSON.stringify(event)));
  } catch (error) {
    return (error as { readonly reason?: string }).reason ?? "unknown";
  }
  return events;
}

describe("a frame", () => {
  for (const [fact, frame, isUsual] of [
    ["as Kubernetes writes it is found", frameOf("ADDED"), true],
    ["of a deletion is found", frameOf("DELETED"), true],
    ["whose envelope ends with its object is found", frameOf("ADDED", withoutTail), true],
    ["with the fields of an event in other order is not", framed(object, type), false],
    ["with an unknown field is not", framed(type, unknown, object), false],
    ["with an unknown field behind is not", framed(type, object, unknown), false],
    [
      "with an unknown field in its extension is not",
      framed(type, field(0x12, Buffer.concat([field(0x0a, enveloped), unknown]))),
      false,
    ],
    [
      "with an unknown field in its envelope is not",
      frameOf("ADDED", Buffer.concat([withoutTail, unknown, enveloped.subarray(-4)])),
      false,
    ],
  ] as const) {
    test(`${fact}, and read either way`, async () => {
      expect(isFound(frame)).toBe(isUsual);
      expect(await read(frame)).toEqual([{ type: fact.includes("deletion") ? "DELETED" : "ADDED", object: pod("a") }]);
    });
  }

  test("of an error is read as a whole", () => {
    expect(isFound(frameOf("ERROR"))).toBe(false);
  });

  test("of another kind than the one before is read as what it is", async () => {
    const node = { kind: "Node", apiVersion: "v1", metadata: { name: "n" } };
    const nodeFrame = frameOf("ADDED", protobuf.encodeEnvelope(node));
    expect(await read(Buffer.concat([frameOf("ADDED"), nodeFrame, frameOf("MODIFIED")]))).toMatchObject([
      { object: pod("a") },
      { object: node },
      { object: pod("a") },
    ]);
  });

  test("with some bytes changed is read as the same frame in parts that are read one by one", async () => {
    const random = seededRandom("frames");
    const outcomes = new Set<string>();
    for (let round = 0; round < 2000; round++) {
      const frame = frameOf("ADDED");
      for (let i = 0; i <= randomBelow(random, 3); i++) {
        frame[4 + randomBelow(random, 60)] = randomBelow(random, 256);
      }
      // An unknown field in front changes the layout, and nothing else.
      const other = framed(unknown, frame.subarray(4));
      const outcome = await read(frame);
      expect(await read(other), frame.toString("hex")).toEqual(outcome);
      outcomes.add(typeof outcome === "string" ? outcome : `read, ${isFound(frame) ? "found" : "not found"}`);
    }
    expect([...outcomes].toSorted()).toEqual(["Decode", "InvalidProtobuf", "read, found", "read, not found"]);
  });
});
