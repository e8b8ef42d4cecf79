import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResponseBody } from "../../api/transport.ts";
import { FakeClock } from "../../base/fake-clock.ts";
import { decodeList, type ListOptions } from "./list-stream.ts";

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

async function read(body: ResponseBody, options: Partial<ListOptions> = {}) {
  const list = decodeList(body, { clock, ...options }, neverAborted);
  const items: unknown[] = [];
  for await (const batch of list.batches()) items.push(...batch);
  return { items, metadata: list.metadata };
}

const readText = (text: string | Uint8Array, options: Partial<ListOptions> = {}, cuts: readonly number[] = []) =>
  read({ kind: "bytes", bytes: chunked(text, cuts) }, options);

const everyByte = Array.from({ length: 2000 }, (_, index) => index);
const item = (name: string, rest = "") => `{"metadata":{"name":"${name}"}${rest}}`;
const podList = (items: string) =>
  `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":${items}}`;
const pod = (name: string) => ({ kind: "Pod", apiVersion: "v1", metadata: { name } });

describe("a list of bytes", () => {
  for (const [name, text, items, metadata] of [
    ["gives items the list's kind and apiVersion", podList(`[${item("a")},${item("b")}]`), [pod("a"), pod("b")]],
    ["may be empty", podList("[]"), []],
    ["may have null for items", podList("null"), []],
    ["may leave items out when its kind says List", '{"kind":"PodList","apiVersion":"v1"}', [], {}],
    ["may be followed by white space", `${podList(`[${item("a")}]`)}\r\n\t `, [pod("a")]],
    [
      "may be pretty-printed",
      JSON.stringify(JSON.parse(podList(`[${item("a")},${item("b")}]`)), undefined, 4),
      [pod("a"), pod("b")],
    ],
    [
      "may say its metadata last, and things we do not know",
      `{"kind":"PodList","x":{"items":[1]},"apiVersion":"v1","y":"]}","n":-1.5e3,"t":true,"items":[${item("a")}],"metadata":{"continue":"c","remainingItemCount":3}}`,
      [pod("a")],
      { continue: "c", remainingItemCount: 3 },
    ],
    [
      "leaves alone what an item says itself, wherever it says it",
      podList(`[${item("a", ',"kind":"Other"')},{"apiVersion":"v2","kind":"K","metadata":{}}]`),
      [
        { kind: "Other", apiVersion: "v1", metadata: { name: "a" } },
        { apiVersion: "v2", kind: "K", metadata: {} },
      ],
    ],
    [
      "fills in what an item says only half of",
      podList('[{"apiVersion":"v2","metadata":{}}]'),
      [{ apiVersion: "v2", kind: "Pod", metadata: {} }],
    ],
    [
      "is not fooled by borders inside items and strings",
      podList(
        `[${item("a")},{"metadata":{"name":"b"},"t":[{"metadata":{}},{"metadata":{"c":"},{\\"metadata\\":"}}]},${item("c")}]`,
      ),
      [pod("a"), { ...pod("b"), t: [{ metadata: {} }, { metadata: { c: '},{"metadata":' } }] }, pod("c")],
    ],
    [
      "is not fooled by items that begin differently",
      podList(`[${item("a")},{"x":1,"metadata":{}},{"y":2,"metadata":{}},${item("d")}]`),
      [
        pod("a"),
        { kind: "Pod", apiVersion: "v1", x: 1, metadata: {} },
        { kind: "Pod", apiVersion: "v1", y: 2, metadata: {} },
        pod("d"),
      ],
    ],
    ["keeps characters of any width", podList(`[${item("aé€😀\\n\\\\")}]`), [pod("aé€😀\n\\")]],
  ] as const) {
    for (const [how, cuts] of [
      ["whole", []],
      ["byte by byte", everyByte],
    ] as const) {
      test(`${name} (${how})`, async () => {
        const seen = await readText(text, {}, cuts);
        expect(seen).toEqual({ items, metadata: metadata ?? { resourceVersion: "7" } });
      });
    }
  }

  test("puts kind and apiVersion first, as a watch and a get have them", async () => {
    const { items } = await readText(podList(`[${item("a")}]`));
    expect(JSON.stringify(items[0])).toBe('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}');
  });

  test("takes the caller's kind when its own comes too late or does not tell", async () => {
    const late = `{"items":[${item("a")}],"kind":"PodList","apiVersion":"v1"}`;
    expect((await readText(late, { kind: "Pod", apiVersion: "v1" })).items).toEqual([pod("a")]);
    const odd = `{"kind":"Fleet","apiVersion":"v1","items":[${item("a")}]}`;
    expect((await readText(odd, { kind: "Pod" })).items).toEqual([pod("a")]);
  });

  test("keeps __proto__ as the plain key it is", async () => {
    const { items } = await readText(podList('[{"metadata":{},"__proto__":{"evil":true}}]'));
    expect(Object.getPrototypeOf(items[0])).toBe(Object.prototype);
    expect(Object.keys(items[0] as object)).toContain("__proto__");
  });
});

describe("what is not a list", () => {
  const status =
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone","reason":"Expired","code":410}';
  for (const [name, text, fault, options] of [
    ["a Status is thrown as such", status, { name: "StatusError", reason: "Expired", code: 410 }],
    ["another object", '{"kind":"Pod","apiVersion":"v1","metadata":{}}', { reason: "Decode", position: 0 }],
    ["an array", "[]", { reason: "Decode", position: 0 }],
    ["plain text", "404 page not found", { reason: "Decode", position: 0 }],
    ["nothing at all", "", { reason: "UnexpectedEnd", position: 0 }],
    ["a list that ends too early", podList(`[${item("a")}]`).slice(0, -1), { reason: "UnexpectedEnd" }],
    ["a list that ends inside an item", podList(`[${item("a")}]`).slice(0, -6), { reason: "UnexpectedEnd" }],
    ["something after the list", `${podList("[]")}{`, { reason: "Decode", position: podList("[]").length }],
    ["a malformed item", '{"kind":"AList","items":[{"metadata":{]}]}', { reason: "Decode", position: 25 }],
    ["a malformed key", '{"a\\x":1}', { reason: "Decode", position: 1 }],
    ["a malformed value", '{"a":nul}', { reason: "Decode", position: 5 }],
    ["a missing colon", '{"a",1}', { reason: "Decode", position: 4 }],
    ["a missing comma", '{"a":1"b":2}', { reason: "Decode" }],
    ["a comma too many", podList(`[${item("a")},]`), { reason: "Decode" }],
    ["an item that is not an object", podList("[1]"), { reason: "Decode" }],
    ["an item without metadata", podList("[{}]"), { reason: "Decode", message: /items\[0\]: metadata/ }],
    ["an item of no known kind", `{"items":[${item("a")}]}`, { reason: "Decode", message: /items\[0\]/ }],
    ["items that are no list", '{"kind":"AList","items":{}}', { reason: "Decode" }],
    ["items twice", '{"kind":"AList","items":[],"items":[]}', { reason: "Decode", message: /twice/ }],
    ["metadata of the wrong type", '{"kind":"AList","metadata":{"continue":1},"items":[]}', { message: /continue/ }],
    [
      "an item beyond the size limit",
      podList(`[${item("a".repeat(99))}]`),
      { reason: "TooLarge" },
      { maxValueBytes: 99 },
    ],
    [
      "an item beyond the depth limit",
      podList(`[${item("a")},${item("a", `,"x":${"[".repeat(8)}${"]".repeat(8)}`)}]`),
      { reason: "TooDeep" },
      { maxDepth: 8 },
    ],
  ] as const) {
    for (const [how, cuts] of [
      ["whole", []],
      ["byte by byte", everyByte],
    ] as const) {
      test(`${name} (${how})`, async () => {
        const { message, ...fields } = { message: /./, name: "ListDecodeError", ...fault };
        const error = await readText(text, options, cuts).catch((error: unknown) => error);
        expect(error).toMatchObject(fields);
        expect((error as Error).message).toMatch(message);
      });
    }
  }

  test("bytes that are not UTF-8", async () => {
    const text = Buffer.from(podList(`[${item("a?")}]`)).map((byte) => (byte === 0x3f ? 0xff : byte));
    for (const cuts of [[], everyByte]) await expect(readText(text, {}, cuts)).rejects.toThrow("not UTF-8");
  });

  test("a body of the wrong kind", () => {
    expect(() => decodeList({ kind: "none" }, { clock }, neverAborted)).toThrow("the body is none");
  });
});

describe("reading a list", () => {
  test("hands out what came before a fault", async () => {
    const list = decodeList({ kind: "bytes", bytes: chunked(podList(`[${item("a")},{"b"]`)) }, { clock }, neverAborted);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const one of list) seen.push(one);
    })();
    await expect(reading).rejects.toThrow("malformed JSON in items[1]");
    expect(seen).toEqual([pod("a")]);
  });

  for (const [name, wrong] of [
    ["is malformed", '{"metadata":{]}'],
    ["is no object", "1"],
    ["has no metadata", '{"x":1}'],
    ["has metadata of the wrong type", '{"metadata":1}'],
  ] as const) {
    test(`says which item ${name}, and where, among those that are right`, async () => {
      const before = podList(`[${item("a")},${item("b")},${item("c")},`).slice(0, -1);
      const bytes = chunked(`${before}${wrong},${item("e")},${item("f")}]}`);
      const seen: unknown[] = [];
      const reading = (async () => {
        for await (const one of decodeList({ kind: "bytes", bytes }, { clock }, neverAborted)) seen.push(one);
      })();
      await expect(reading).rejects.toMatchObject({
        position: before.length,
        message: expect.stringContaining("items[3]"),
      });
      expect(seen).toEqual([pod("a"), pod("b"), pod("c")]);
    });
  }

  test("passes on what the connection throws", async () => {
    async function* broken() {
      yield Buffer.from(podList("[]").slice(0, 20));
      throw new Error("connection reset");
    }
    await expect(read({ kind: "bytes", bytes: broken() })).rejects.toThrow("connection reset");
  });

  test("closes the body when the reader leaves", async () => {
    let isClosed = false;
    async function* body() {
      try {
        yield Buffer.from(podList(`[${item("a")},${item("b")}]`).slice(0, -4));
        yield Buffer.from("never read");
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of decodeList({ kind: "bytes", bytes: body() }, { clock }, neverAborted)) break;
    expect(isClosed).toBe(true);
  });

  test("stops when aborted", async () => {
    const controller = new AbortController();
    const text = podList(`[${Array.from({ length: 4000 }, (_, i) => item(`p${i}`)).join()}]`);
    const list = decodeList({ kind: "bytes", bytes: chunked(text) }, { clock }, controller.signal);
    const reading = (async () => {
      for await (const _ of list.batches()) controller.abort(new Error("enough"));
    })();
    await expect(reading).rejects.toThrow("enough");
  });

  test("happens once", async () => {
    const list = decodeList({ kind: "bytes", bytes: chunked(podList("[]")) }, { clock }, neverAborted);
    for await (const _ of list);
    expect(() => list.batches()).toThrow("a stream can be read only once");
  });

  test("tells the metadata only at the end", () => {
    const list = decodeList({ kind: "bytes", bytes: chunked(podList("[]")) }, { clock }, neverAborted);
    expect(() => list.metadata).toThrow("only after the last item");
  });

  for (const [budgetMs, turns] of [
    [0, 8],
    [Number.POSITIVE_INFINITY, 0],
  ] as const) {
    test(`gives others ${turns} turns in ten pieces of one chunk when the budget is ${budgetMs} ms`, async () => {
      let yields = 0;
      const counting = { ...clock, monotonic: () => 0, yield: async () => void yields++ } as unknown as FakeClock;
      const text = podList(`[${Array.from({ length: 520 }, () => item("x".repeat(1000))).join()}]`);
      await readText(text, { clock: counting, budgetMs });
      expect(Math.min(yields, 8)).toBe(turns);
    });
  }
});

describe("a list of values", () => {
  const items = [Object.freeze(pod("a")), Object.freeze({ metadata: { name: "b" } })];
  const value = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "7" }, items };

  test("hands out the very objects, and completes the others", async () => {
    const seen = await read({ kind: "value", value });
    expect(seen).toEqual({ items: [pod("a"), pod("b")], metadata: { resourceVersion: "7" } });
    expect(seen.items[0]).toBe(items[0]);
  });

  for (const [name, wrong, fault] of [
    [
      "a Status",
      { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" },
      { name: "StatusError", code: 410 },
    ],
    ["text", "no", { name: "ListDecodeError" }],
    ["items of a wrong type", { kind: "PodList", items: 1 }, { name: "ListDecodeError" }],
    ["an item without metadata", { ...value, items: [...items, {}] }, { name: "ListDecodeError", position: 2 }],
  ] as const) {
    test(`refuses ${name}`, async () => {
      await expect(read({ kind: "value", value: wrong })).rejects.toMatchObject(fault);
    });
  }
});

test("a list in any chunks, printed in any way, is what JSON.parse makes of it", async () => {
  const object = fc
    .tuple(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), fc.boolean())
    .map(([rest, isUsual]) => ({
      ...(isUsual && { metadata: {} }),
      ...rest,
      kind: "K",
      apiVersion: "v1",
      metadata: {},
    }));
  const others = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }).map(
    // These mean something.
    ({ kind: _1, apiVersion: _2, metadata: _3, items: _4, ...rest }) => rest,
  );
  const list = fc.record({ before: others, items: fc.array(object), after: others, indent: fc.nat({ max: 3 }) });
  const cuts = fc.array(fc.nat({ max: 5000 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(list, cuts, async ({ before, items, after, indent }, at) => {
      const text = JSON.stringify(
        { ...before, items, metadata: { resourceVersion: "1" }, ...after },
        undefined,
        indent,
      );
      const seen = await readText(text, {}, at);
      expect(JSON.stringify(seen.items)).toBe(JSON.stringify((JSON.parse(text) as { items: unknown }).items));
    }),
    { numRuns: 300 },
  );
});

test("a list that was tampered with is refused, or is still what JSON.parse makes of it", async () => {
  // Full of what looks like the border between two items: in strings, in lists inside items, with white space.
  const border = '},{"metadata":';
  const text = fc.constantFrom("", "x", border, `${border}{}`, '"', "\\", "[{");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small" }, text, fc.nat({ max: 9 }), tie("objects"), tie("object")),
    objects: fc.array(fc.oneof(tie("object"), tie("objects")), { maxLength: 3 }),
    object: fc.record({ metadata: fc.oneof(fc.constant({}), tie("value")), rest: tie("value") }),
  }));
  const one = fc
    .record({ name: text, rest: value })
    .map(({ name, rest }) => JSON.stringify({ metadata: { name }, rest }));
  const between = fc.constantFrom(",", ",", ",", ", ", "\n,");
  const tail = fc
    .array(fc.tuple(one, between), { minLength: 2, maxLength: 12 })
    .map((items) => `${items.flatMap(([json, comma], at) => (at === 0 ? [json] : [comma, json])).join("")}]}`);
  const scrap = fc.constantFrom("", "]", "[", "}", "{", ",", '"', "]}", "],[", ",[{", "},{", border, "\\", "0", " ");
  const tampering = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), scrap), { maxLength: 3 });
  const tamper = (text: string, [at, deleted, put]: readonly [number, number, string]) =>
    text.slice(0, at % text.length) + put + text.slice((at % text.length) + deleted);
  const cuts = fc.array(fc.nat({ max: 5000 }), { maxLength: 3 });
  // How much is taken at once follows from how deep it may be.
  const maxDepth = fc.constantFrom(10_000, 50);
  await fc.assert(
    fc.asyncProperty(tail, tampering, cuts, maxDepth, async (rest, edits, at, depth) => {
      const sent = podList("[").slice(0, -1) + edits.reduce(tamper, rest);
      const seen = await readText(sent, { maxDepth: depth }, at).catch(() => undefined);
      if (seen === undefined) return;
      const { items } = JSON.parse(sent) as { items: readonly object[] };
      const expected = items.map((one) => ({ kind: "Pod", apiVersion: "v1", ...one }));
      expect(JSON.stringify(seen.items)).toBe(JSON.stringify(expected));
    }),
    { numRuns: 1000 },
  );
});
