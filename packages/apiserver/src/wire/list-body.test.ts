// Whatever the form, a list in pieces is the list as a whole, and whoever makes it rests in between.
import type { KubernetesObject } from "@kubeloop/core/api";
import { type Clock, deepFreeze, systemClock } from "@kubeloop/core/base";
import { configMaps } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { RequestYieldBudget } from "../storage/request-yield-budget.ts";
import { builtInCodec } from "./kind-codec.ts";
import { listBytes, listValue, type ShownList, showList } from "./list-body.ts";
import type { OutputForm, ViewForm } from "./output-form.ts";
import type { Presentation } from "./presentation.ts";
import { protobufOn } from "./protobuf-encodings.ts";

const never = new AbortController().signal;
const metadata = { resourceVersion: "7" };
const presentation: Presentation = {
  resource: configMaps,
  codec: builtInCodec(configMaps),
  columns: [{ name: "Name", type: "string", format: "name", description: "its name", priority: 0 }],
  toServed: (object) => object,
  storedOf: (object) => object,
  printRow: (object) => [object.metadata.name],
};
const newObject = (i: number) =>
  deepFreeze({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: `m-${i}`, namespace: "default" },
    data: { text: `- two\n  lines: "and ${i} more"\n`, empty: "" },
  }) as KubernetesObject;
const objectsOf = (count: number) => Array.from({ length: count }, (_, i) => newObject(i));

/** On which each look at the time finds that some has passed, and rests are counted. */
function newBusyClock() {
  const seen = { rests: 0, ms: 0 };
  const clock: Clock = {
    ...systemClock,
    monotonic: () => ++seen.ms,
    yield: () => {
      seen.rests++;
      return systemClock.yield();
    },
  };
  return { clock, seen };
}

const views: Readonly<Record<string, ViewForm>> = {
  "whole objects": { kind: "object" },
  metadata: { kind: "metadata", version: "v1", isList: true },
  "a table": { kind: "table", version: "v1", includeObject: "Metadata" },
};

/** What the list is, all at once. */
function whole({ head, field, objects, show }: ShownList, view: ViewForm): object {
  const items = objects.map((object) => {
    const { kind, apiVersion, ...rest } = show(object) as KubernetesObject;
    return view.kind === "metadata" ? { kind, apiVersion, ...rest } : rest;
  });
  return { ...head, [field]: items };
}

async function written(list: ShownList, form: OutputForm, clock: Clock = systemClock) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await listBytes(list, { form, clock, signal: never })) chunks.push(chunk);
  return { chunks, text: Buffer.concat(chunks).toString("utf8") };
}

for (const [what, view] of Object.entries(views)) {
  describe(`a list of ${what}`, () => {
    const shownOf = (count: number) =>
      showList({ metadata, objects: objectsOf(count) }, presentation, view, { nowMs: 0 });

    for (const count of [0, 1, 3]) {
      const list = shownOf(count);
      test(`with ${count} in it is JSON in one line`, async () => {
        const { text } = await written(list, { media: "json", view, isPretty: false });
        expect(text).toBe(`${JSON.stringify(whole(list, view))}\n`);
      });
      test(`with ${count} in it is JSON for people`, async () => {
        const { text } = await written(list, { media: "json", view, isPretty: true });
        expect(text).toBe(JSON.stringify(whole(list, view), null, 2));
      });
      test(`with ${count} in it is YAML in the order of names`, async () => {
        const { text } = await written(list, { media: "yaml", view, isPretty: false });
        const options = { sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 };
        expect(text).toBe(stringify(whole(list, view), options));
        expect(parse(text)).toEqual(JSON.parse(JSON.stringify(whole(list, view))));
      });
    }

    for (const [media, isPretty] of [
      ["json", false],
      ["json", true],
      ["yaml", false],
      ...(view.kind === "table" ? [] : ([["protobuf", false]] as const)),
    ] as const) {
      test(`is made with rests, in chunks: ${isPretty ? "pretty " : ""}${media}`, async () => {
        const list = shownOf(4_000);
        const { clock, seen } = newBusyClock();
        const { chunks } = await written(list, { media, view, isPretty }, clock);
        // A look every 16 objects, a rest when four milliseconds have passed: at the fourth look at the latest.
        expect(seen.rests).toBeGreaterThanOrEqual(4_000 / (16 * 4) - 1);
        expect(chunks.length).toBeGreaterThan(1);
      });
    }

    test("is made with rests for readers in this process, too", async () => {
      const list = shownOf(4_000);
      const { clock, seen } = newBusyClock();
      const value = await listValue(list, new RequestYieldBudget(clock, never));
      expect(seen.rests).toBeGreaterThanOrEqual(4_000 / (16 * 4) - 1);
      expect(value).toEqual({ ...list.head, [list.field]: list.objects.map((object) => list.show(object)) });
    });
  });
}

test("metadata in protobuf is what it is as a whole", async () => {
  const view = views["metadata"] as ViewForm;
  const list = showList({ metadata, objects: objectsOf(3) }, presentation, view, { nowMs: 0 });
  const { chunks } = await written(list, { media: "protobuf", view, isPretty: false });
  const protobuf = await protobufOn(systemClock);
  expect(Buffer.concat(chunks)).toEqual(Buffer.from(protobuf.encodeEnvelope(whole(list, view) as KubernetesObject)));
});

test("nobody goes on when nobody reads", async () => {
  const gone = new AbortController();
  const { clock } = newBusyClock();
  const list = showList({ metadata, objects: objectsOf(500) }, presentation, { kind: "object" }, { nowMs: 0 });
  gone.abort(new Error("gone"));
  await expect(listValue(list, new RequestYieldBudget(clock, gone.signal))).rejects.toThrow("gone");
});
