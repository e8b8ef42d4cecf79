import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResponseBody } from "../../api/transport.ts";
import { FakeClock } from "../../base/fake-clock.ts";
import type { WatchDecodeError } from "./decode-errors.ts";
import { decodeWatch, type WatchOptions } from "./watch-stream.ts";

const neverAborted = new AbortController().signal;
const clock = new FakeClock();

/** The text's bytes, cut at these places. */
async function* chunked(text: string | Uint8Array, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  let from = 0;
  for (const cut of [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
  yield bytes.subarray(from);
}

async function read(body: ResponseBody, options: Partial<WatchOptions> = {}) {
  const events: unknown[] = [];
  let error: unknown;
  try {
    for await (const event of decodeWatch(body, { clock, ...options }, neverAborted)) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return { events, error };
}

const everyByte = Array.from({ length: 2000 }, (_, index) => index);
const pod = (name: string) => ({ kind: "Pod", apiVersion: "v1", metadata: { name, resourceVersion: "5" } });
const added = { type: "ADDED", object: pod("a") };
const modified = { type: "MODIFIED", object: pod('é€😀\n\\"}{') };
const deleted = { type: "DELETED", object: pod("c") };
const bookmark = { type: "BOOKMARK", object: { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "9" } } };
const failed = { type: "ERROR", object: { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" } };
const all = [added, modified, deleted, bookmark, failed];
const lines = all.map((event) => `${JSON.stringify(event)}\n`).join("");

describe("a watch", () => {
  for (const [name, text, expected] of [
    ["may end before the first event", "", []],
    ["has events of five types, one a line", lines, all],
    ["may do without newlines", lines.replaceAll("\n", ""), all],
    ["may have blank lines and other white space", `\n ${lines.replaceAll("\n", "\r\n\n\t ")}`, all],
    ["may do without the last newline", lines.trimEnd(), all],
    ["may be pretty-printed", all.map((event) => JSON.stringify(event, undefined, 2)).join("\n"), all],
    ["may change its habits", `${lines}${JSON.stringify(added)}${lines}`, [...all, added, ...all]],
  ] as const) {
    for (const [how, cuts] of [
      ["whole", []],
      ["byte by byte", everyByte],
      ["at newlines", [lines.indexOf("\n")]],
    ] as const) {
      test(`${name} (${how})`, async () => {
        expect(await read({ kind: "bytes", bytes: chunked(text, cuts) })).toEqual({
          events: expected,
          error: undefined,
        });
      });
    }
  }

  for (const [name, before] of [
    ["first", ""],
    ["later", lines],
  ] as const) {
    for (const cut of [0, 1, 40]) {
      test(`hands out a ${name} event as soon as it is complete, newline or not (cut at ${cut})`, async () => {
        const event = JSON.stringify(deleted);
        async function* body() {
          if (before !== "") yield Buffer.from(before);
          if (cut > 0) yield Buffer.from(event.slice(0, cut));
          yield Buffer.from(event.slice(cut));
          throw new Error("asked for more than was needed");
        }
        const seen: unknown[] = [];
        for await (const one of decodeWatch({ kind: "bytes", bytes: body() }, { clock }, neverAborted)) {
          seen.push(one);
          if (one.type === "DELETED" && seen.length > (before === "" ? 0 : all.length)) break;
        }
        expect(seen.at(-1)).toEqual(deleted);
      });
    }
  }

  test("hands out events of many chunks, each once", async () => {
    const large = { type: "ADDED", object: { ...pod("large"), spec: "x€".repeat(700_000) } };
    const text = `${lines}${JSON.stringify(large)}\n${lines}`;
    const cuts = Array.from({ length: 60 }, (_, index) => index * 49_999);
    expect((await read({ kind: "bytes", bytes: chunked(text, cuts) })).events).toEqual([...all, large, ...all]);
  });

  test("asks for a chunk only when its reader asks for events", async () => {
    let asked = 0;
    async function* body() {
      for (; asked < 100; ) {
        asked++;
        yield Buffer.from(lines);
      }
    }
    const batches = decodeWatch({ kind: "bytes", bytes: body() }, { clock }, neverAborted).batches();
    await batches.next();
    await batches.next();
    expect(asked).toBe(2);
    await batches.return();
  });

  test("keeps __proto__ as the plain key it is", async () => {
    const text = '{"type":"ADDED","object":{"kind":"K","apiVersion":"v1","metadata":{},"__proto__":{"evil":true}}}\n';
    const { events } = await read({ kind: "bytes", bytes: chunked(text) });
    expect(JSON.stringify(events[0])).toBe(text.trim());
  });
});

describe("what is not an event", () => {
  const good = `${JSON.stringify(added)}\n`;
  const event = (type: string, object: string) => `{"type":${type},"object":${object}}\n`;
  for (const [name, text, fault, options] of [
    ["text", "page not found", { reason: "Decode" }],
    ["malformed JSON", '{"type":"ADDED","object":{]}}\n', { reason: "Decode", message: /malformed/ }],
    ["a closing brace too many", "}\n", { reason: "Decode" }],
    ["an unknown type", event('"CREATED"', JSON.stringify(pod("a"))), { reason: "Decode", message: /"CREATED"/ }],
    ["no type", '{"object":{}}\n', { reason: "Decode", message: /type/ }],
    ["no object", '{"type":"ADDED"}\n', { reason: "Decode" }],
    ["an object without kind", event('"ADDED"', '{"apiVersion":"v1","metadata":{}}'), { message: /kind/ }],
    ["a bookmark of nothing", event('"BOOKMARK"', JSON.stringify({ ...pod("a"), metadata: {} })), { reason: "Decode" }],
    ["an error that is no Status", event('"ERROR"', JSON.stringify(pod("a"))), { message: /Status/ }],
    ["an end in the middle", '{"type":"ADDED","obj', { reason: "UnexpectedEnd" }],
    ["an end before the last brace", good.trim().slice(0, -1), { reason: "UnexpectedEnd" }],
    [
      "an event beyond the size limit",
      event('"ADDED"', `"${"x".repeat(200)}"`),
      { reason: "TooLarge" },
      { maxValueBytes: 150 },
    ],
    ["an event beyond the depth limit", `${"{".repeat(9)}${"}".repeat(9)}`, { reason: "TooDeep" }, { maxDepth: 8 }],
  ] as const) {
    for (const [how, cuts] of [
      ["whole", []],
      ["byte by byte", everyByte],
    ] as const) {
      test(`${name}, after what was right (${how})`, async () => {
        const { events, error } = await read({ kind: "bytes", bytes: chunked(good + text, cuts) }, options);
        expect(events).toEqual([added]);
        const { message, ...fields } = { message: /./, name: "WatchDecodeError", position: good.length, ...fault };
        expect(error).toMatchObject(fields);
        expect((error as Error).message).toMatch(message);
      });
    }
  }

  for (const [how, cuts] of [
    ["whole", []],
    ["in parts", [300, 301, 500]],
    ["byte by byte", everyByte],
  ] as const) {
    test(`bytes that are not UTF-8, after what was right (${how})`, async () => {
      const before = Buffer.from(`${lines}${JSON.stringify(modified)}\n`);
      const wrong = Buffer.from(`${JSON.stringify({ ...added, object: pod("?") })}\n`).map((b) =>
        b === 0x3f ? 0xff : b,
      );
      const bytes = chunked(Buffer.concat([before, wrong, Buffer.from(lines)]), cuts);
      const { events, error } = await read({ kind: "bytes", bytes });
      expect(events).toEqual([...all, modified]);
      expect(error).toMatchObject({ reason: "Decode", position: before.length, message: /not UTF-8/ });
    });
  }

  test("a line that is beyond the depth limit, among others", async () => {
    const deep = `{"type":"ADDED","object":{"x":${"[".repeat(2000)}${"]".repeat(2000)}}}\n`;
    const { events, error } = await read({ kind: "bytes", bytes: chunked(lines + deep + lines) }, { maxDepth: 1000 });
    expect(events).toEqual(all);
    expect(error).toMatchObject({ reason: "TooDeep", position: Buffer.byteLength(lines) });
  });

  test("a body of the wrong kind", () => {
    expect(() => decodeWatch({ kind: "value", value: {} }, { clock }, neverAborted)).toThrow("the body is value");
  });
});

describe("a watch of values", () => {
  async function* values(...events: readonly unknown[]) {
    yield* events;
  }

  test("hands out the very events", async () => {
    const { events } = await read({ kind: "values", values: values(...all) });
    expect(events).toEqual(all);
    expect(events[0]).toBe(added);
  });

  test("refuses what is not one", async () => {
    const { events, error } = await read({ kind: "values", values: values(added, { type: "CREATED" }) });
    expect(events).toEqual([added]);
    expect(error).toMatchObject({ name: "WatchDecodeError", reason: "Decode", position: 1 });
  });
});

test("events in any chunks, with any white space between, are what JSON.parse makes of them", async () => {
  const object = fc
    .dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true })
    .map((rest) => ({ ...rest, kind: "K", apiVersion: "v1", metadata: {} }));
  const event = fc.record({ type: fc.constantFrom("ADDED", "MODIFIED", "DELETED"), object }, { noNullPrototype: true });
  const between = fc.constantFrom("\n", "\n", "\n", "", " ", "\r\n\t");
  const events = fc.array(fc.tuple(event, between, fc.constantFrom(0, 0, 2)));
  await fc.assert(
    fc.asyncProperty(events, fc.array(fc.nat({ max: 5000 }), { maxLength: 40 }), async (sent, cuts) => {
      const text = sent.map(([value, space, indent]) => JSON.stringify(value, undefined, indent) + space).join("");
      const { events: seen, error } = await read({ kind: "bytes", bytes: chunked(text, cuts) });
      expect(error).toBe(undefined);
      expect(JSON.stringify(seen)).toBe(JSON.stringify(sent.map(([value]) => value)));
    }),
    { numRuns: 300 },
  );
});

test("what a watch says, right or wrong, does not depend on where its chunks end", async () => {
  const scrap = fc.constantFrom("", "]", "[", "}", "{", ",", '"', "}{", "\n", "\r\n", " ", "\\", "0", "}\n{");
  const tampering = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), scrap), { maxLength: 3 });
  const tamper = (text: string, [at, deleted, put]: readonly [number, number, string]) =>
    text.slice(0, at % text.length) + put + text.slice((at % text.length) + deleted);
  const text = fc
    .array(fc.tuple(fc.constantFrom(...all), fc.constantFrom("\n", "\n", "\n", "\n", "", " ")), { minLength: 1 })
    .map((sent) => sent.map(([event, space]) => JSON.stringify(event) + space).join(""));
  const cuts = fc.array(fc.nat({ max: 2000 }), { maxLength: 8 });
  const verdict = async (sent: string, at: readonly number[]) => {
    const { events, error } = await read({ kind: "bytes", bytes: chunked(sent, at) });
    const { reason, position } = (error ?? {}) as Partial<WatchDecodeError>;
    return { events, reason, position };
  };
  await fc.assert(
    fc.asyncProperty(text, tampering, cuts, async (whole, edits, at) => {
      const sent = edits.reduce(tamper, whole);
      expect(await verdict(sent, at)).toEqual(await verdict(sent, everyByte));
    }),
    { numRuns: 200 },
  );
});
