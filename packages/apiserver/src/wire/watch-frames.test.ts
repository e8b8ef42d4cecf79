// However many watch, a message is encoded once for each form in which it is wanted.
import type { KubernetesObject } from "@kubeloop/core/api";
import { deepFreeze, systemClock } from "@kubeloop/core/base";
import { configMaps } from "@kubeloop/core/resources";
import { describe, expect, test, vi } from "vitest";
import type { WatchMessage } from "./answer.ts";
import { builtInCodec } from "./kind-codec.ts";
import type { OutputForm, ViewForm } from "./output-form.ts";
import type { Presentation } from "./presentation.ts";
import { frameOf } from "./watch-frames.ts";

const presentation: Presentation = {
  resource: configMaps,
  codec: builtInCodec(configMaps),
  columns: [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }],
  toServed: (object) => object,
  storedOf: (object) => object,
  printRow: (object) => [object.metadata.name],
};
const newMessage = (type: WatchMessage["type"] = "ADDED"): WatchMessage => ({
  type,
  object: deepFreeze({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "a" },
    data: { k: "v" },
  }) as KubernetesObject,
});
const object: ViewForm = { kind: "object" };
const metadata: ViewForm = { kind: "metadata", version: "v1", isList: false };
const table: ViewForm = { kind: "table", version: "v1", includeObject: "None" };

async function framesFor(count: number, form: OutputForm, message: WatchMessage): Promise<readonly Uint8Array[]> {
  const frames: Uint8Array[] = [];
  for (let i = 0; i < count; i++) frames.push((await frameOf(presentation, form, systemClock))(message));
  return frames;
}

describe("a thousand watchers", () => {
  for (const [fact, form] of [
    ["of objects in JSON", { media: "json", view: object, isPretty: false }],
    ["of metadata in JSON", { media: "json", view: metadata, isPretty: false }],
    ["of objects in protobuf", { media: "protobuf", view: object, isPretty: false }],
    ["of metadata in protobuf", { media: "protobuf", view: metadata, isPretty: false }],
  ] as const) {
    test(`${fact} get the same bytes, made once`, async () => {
      const frames = await framesFor(1_000, form, newMessage());
      expect(new Set(frames).size).toBe(1);
    });
  }

  test("cost one pass over the object", async () => {
    const encode = vi.spyOn(JSON, "stringify");
    const message = newMessage();
    await framesFor(1_000, { media: "json", view: object, isPretty: false }, message);
    expect(encode.mock.calls.filter(([value]) => value === message.object)).toHaveLength(1);
    encode.mockRestore();
  });
});

describe("one object", () => {
  test("has a frame of its own for each type of message and each form", async () => {
    const { object: shown } = newMessage();
    const forms: OutputForm[] = [
      { media: "json", view: object, isPretty: false },
      { media: "json", view: metadata, isPretty: false },
      { media: "protobuf", view: object, isPretty: false },
    ];
    const frames: string[] = [];
    for (const form of forms) {
      for (const type of ["ADDED", "MODIFIED", "DELETED"] as const) {
        const [frame] = await framesFor(1, form, { type, object: shown });
        frames.push(Buffer.from(frame as Uint8Array).toString("latin1"));
      }
    }
    expect(new Set(frames).size).toBe(9);
    expect(frames[1]).toBe(
      '{"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}}}\n',
    );
  });

  test("is a row of its watcher's table: the first with columns, the next without", async () => {
    const frame = await frameOf(presentation, { media: "json", view: table, isPretty: false }, systemClock);
    const read = (bytes: Uint8Array) =>
      (JSON.parse(Buffer.from(bytes).toString("utf8")) as { object: { columnDefinitions: unknown; rows: unknown } })
        .object;
    const message = newMessage();
    const [first, next] = [read(frame(message)), read(frame(message))];
    expect(first.columnDefinitions).toEqual(presentation.columns);
    expect(next.columnDefinitions).toBeNull();
    expect(next.rows).toEqual([{ cells: ["a"], object: null }]);
  });
});
