// What every storage promises of its log: every event once, in order, numbered without gaps; and of those who listen for changes.
import { expect, test } from "vitest";
import { creation, eventsAfter, noteAt, notes, put, textOf, textsOf, written } from "./objects.fixture.ts";
import type { OpenStorage } from "./storage.contract.ts";

export function logFacts(open: OpenStorage): void {
  test("has each change of its collection, in order, with what was before and after", async () => {
    await using storage = await open();
    const start = storage.log.revision;
    await put(storage, "a", "one");
    await put(storage, "x", "elsewhere", "others");
    await put(storage, "a", "two");
    await put(storage, "a", undefined);
    expect(eventsAfter(storage, start)).toEqual([
      `a: - → one @${start + 1}`,
      `a: one → two @${start + 3}`,
      `a: two → - @${start + 4}`,
    ]);
    expect(eventsAfter(storage, start, "others")).toEqual([`x: - → elsewhere @${start + 2}`]);
  });

  test("has the keys of one write in the order they were written, all at its revision", async () => {
    await using storage = await open();
    const { revision } = await written(storage, creation("b"), creation("x", "x", "others"), creation("a"));
    expect(eventsAfter(storage, revision - 1)).toEqual([`b: - → b @${revision}`, `a: - → a @${revision}`]);
    expect(eventsAfter(storage, revision - 1, "others")).toEqual([`x: - → x @${revision}`]);
    expect(eventsAfter(storage, revision)).toEqual([]);
  });

  test("numbers a collection's events without gaps, whatever happens elsewhere", async () => {
    await using storage = await open();
    const position = storage.log.positionAfter(notes, storage.log.revision) ?? -1;
    for (let i = 0; i < 40; i++) {
      await put(storage, "a", `${i}`);
      await put(storage, "a", `${i}`, "others");
    }
    const texts = Array.from({ length: 40 }, (_, index) => storage.log.at(notes, position + index));
    expect(texts.map((event) => (typeof event === "object" ? textOf(event.after) : event))).toEqual(
      Array.from({ length: 40 }, (_, index) => `${index}`),
    );
    expect(storage.log.at(notes, position + 40)).toBeUndefined();
  });

  test("finds the place after any revision, one of another collection and one yet to come included", async () => {
    await using storage = await open();
    const first = await put(storage, "a", "one");
    const elsewhere = await put(storage, "a", "one", "others");
    const last = await put(storage, "a", "two");
    const position = storage.log.positionAfter(notes, first - 1) ?? -1;
    const found = [first, elsewhere, last, last + 5].map((revision) => storage.log.positionAfter(notes, revision));
    expect(found).toEqual([position + 1, position + 1, position + 2, position + 2]);
  });

  test("has forgotten what a compaction took, and not where a reader is that had read it", async () => {
    await using storage = await open();
    const start = storage.log.revision;
    const position = storage.log.positionAfter(notes, start) ?? -1;
    const [first, second] = [await put(storage, "a", "one"), await put(storage, "a", "two")];
    await storage.compact(first);
    expect([storage.log.positionAfter(notes, start), storage.log.at(notes, position)]).toEqual([
      undefined,
      "forgotten",
    ]);
    expect([storage.log.positionAfter(notes, first), eventsAfter(storage, first)]).toEqual([
      position + 1,
      [`a: one → two @${second}`],
    ]);
    await storage.compact(second);
    expect([storage.log.at(notes, position + 1), storage.log.at(notes, position + 2)]).toEqual([
      "forgotten",
      undefined,
    ]);
    const third = await put(storage, "a", "three");
    expect(eventsAfter(storage, second)).toEqual([`a: two → three @${third}`]);
    expect(storage.log.positionAfter(notes, second)).toBe(position + 2);
  });
}

export function reachedFacts(open: OpenStorage): void {
  const never = new AbortController().signal;

  test("is at once for what is there, and with the write that makes it for what is yet to come", async () => {
    await using storage = await open();
    const { revision } = storage.log;
    await storage.log.reached(revision, never);
    const order: string[] = [];
    const waits = [2, 1].map((ahead) =>
      storage.log.reached(revision + ahead, never).then(() => order.push(`+${ahead}`)),
    );
    await put(storage, "a", "one");
    await waits[1];
    expect(order).toEqual(["+1"]);
    await put(storage, "a", "two");
    await Promise.all(waits);
    expect(order).toEqual(["+1", "+2"]);
  });

  test("ends with the reason of who gives up, and with the storage", async () => {
    const storage = await open();
    const controller = new AbortController();
    const given = storage.log.reached(storage.log.revision + 1, controller.signal);
    const closed = storage.log.reached(storage.log.revision + 1, never);
    const settled = Promise.allSettled([given, closed]);
    controller.abort("enough");
    await storage[Symbol.asyncDispose]();
    const reasons = (await settled).map((each) => (each.status === "rejected" ? each.reason : "reached"));
    expect(reasons).toEqual(["enough", expect.objectContaining({ reason: "Closed" })]);
    await expect(storage.log.reached(1, never)).rejects.toMatchObject({ reason: "Closed" });
  });
}

export function listenerFacts(open: OpenStorage): void {
  test("hear of a write to their collection once, whatever the number of keys, and of no other", async () => {
    await using storage = await open();
    const heard: string[] = [];
    using _notes = storage.log.onChange(notes, () => heard.push("notes"));
    using _others = storage.log.onChange("others", () => heard.push("others"));
    await written(storage, creation("a"), creation("b"), creation("c"));
    await put(storage, "x", "x", "third");
    await storage.write([creation("a")]);
    await written(storage, { ...noteAt("none"), expected: 0, object: undefined });
    expect(heard).toEqual(["notes"]);
    await written(storage, creation("d"), creation("x", "x", "others"));
    expect(heard.slice(1).sort()).toEqual(["notes", "others"]);
  });

  test("hear of a write when it can be read, and before its writer does", async () => {
    await using storage = await open();
    const order: string[] = [];
    const reads: Promise<void>[] = [];
    const before = storage.log.revision;
    using _ = storage.log.onChange(notes, () => {
      order.push(`heard ${eventsAfter(storage, before).length}`);
      reads.push(storage.get(noteAt("a")).then((object) => expect(textOf(object)).toBe("one")));
    });
    await storage.write([creation("a", "one")]).then(() => order.push("written"));
    await Promise.all(reads);
    expect([order, reads.length]).toEqual([["heard 1", "written"], 1]);
  });

  test("hear nothing more when they have left, and hear as often as they have joined", async () => {
    await using storage = await open();
    let calls = 0;
    const listener = () => {
      calls++;
    };
    const first = storage.log.onChange(notes, listener);
    const second = storage.log.onChange(notes, listener);
    await put(storage, "a", "1");
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await put(storage, "a", "2");
    second[Symbol.dispose]();
    await put(storage, "a", "3");
    using _ = storage.log.onChange(notes, listener);
    await put(storage, "a", "4");
    expect(calls).toBe(2 + 1 + 0 + 1);
  });

  test("do not keep each other from hearing, nor the writer from writing, by throwing", async () => {
    await using storage = await open();
    const heard: string[] = [];
    using _first = storage.log.onChange(notes, () => heard.push("first"));
    using _broken = storage.log.onChange(notes, () => {
      throw new Error("broken");
    });
    using _last = storage.log.onChange(notes, () => heard.push("last"));
    await put(storage, "a", "one");
    await put(storage, "a", "two");
    expect([heard, await textsOf(storage)]).toEqual([["first", "last", "first", "last"], ["two"]]);
  });

  test("may write: everybody reads both changes in one order, and no call happens inside another", async () => {
    await using storage = await open();
    const start = storage.log.revision;
    const inner: Promise<unknown>[] = [];
    const seen: string[][] = [[], []];
    let depth = 0;
    let isNested = false;
    const listen = (index: number, also: () => void) =>
      storage.log.onChange(notes, () => {
        isNested ||= depth > 0;
        depth++;
        also();
        seen[index] = eventsAfter(storage, start);
        depth--;
      });
    using _writer = listen(0, () => {
      if (inner.length < 3) inner.push(storage.write([creation(`inner-${inner.length}`)]));
    });
    using _reader = listen(1, () => {});
    await put(storage, "outer", "outer");
    await Promise.all(inner);
    const order = ["outer", "inner-0", "inner-1", "inner-2"].map(
      (key, index) => `${key}: - → ${key} @${start + 1 + index}`,
    );
    expect([seen, isNested]).toEqual([[order, order], false]);
  });

  test("may answer each change with a write, thousands of times", async () => {
    await using storage = await open();
    const writes: Promise<unknown>[] = [];
    const start = storage.log.revision;
    using _ = storage.log.onChange(notes, () => {
      if (writes.length < 5000) writes.push(storage.write([creation(`n-${writes.length}`)]));
    });
    await put(storage, "first", "first");
    for (let settled = 0; settled < writes.length; settled++) await writes[settled];
    expect([writes.length, storage.log.revision - start]).toEqual([5000, 5001]);
  });

  test("may leave, and let others leave and join, while they hear", async () => {
    await using storage = await open();
    const heard: string[] = [];
    const joined: Disposable[] = [];
    const leaving: Disposable = storage.log.onChange(notes, () => {
      heard.push("leaving");
      leaving[Symbol.dispose]();
      joined.push(storage.log.onChange(notes, () => heard.push("joined")));
    });
    using _ = storage.log.onChange(notes, () => heard.push("staying"));
    await put(storage, "a", "one");
    heard.length = 0;
    await put(storage, "a", "two");
    expect(heard.sort()).toEqual(["joined", "staying"]);
    for (const each of joined) each[Symbol.dispose]();
  });
}
