import { type Log, noLog } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "./memory-storage.ts";
import { creation, eventsAfter, notes, put, textOf, textsOf, written } from "./objects.fixture.ts";
import { storageSuite } from "./storage.contract.ts";
import { ExpiredRevision, type Range, type Storage } from "./storage.ts";

storageSuite("MemoryStorage", async () => new MemoryStorage());

describe("the history of a MemoryStorage", () => {
  test("begins at revision 1, as etcd does", async () => {
    await using storage = new MemoryStorage();
    expect([storage.log.revision, await put(storage, "a", "one")]).toEqual([1, 2]);
  });

  test("begins where it is told to, with everything before forgotten", async () => {
    await using storage = new MemoryStorage({ firstRevision: 5_000 });
    expect([storage.log.revision, await put(storage, "a", "one")]).toEqual([5_000, 5_001]);
    for (const revision of [1, 4_999]) {
      expect(storage.log.positionAfter(notes, revision)).toBeUndefined();
      await expect(storage.list(notes, { revision })).rejects.toThrow(ExpiredRevision);
    }
    expect(eventsAfter(storage, 5_000)).toHaveLength(1);
  });

  for (const firstRevision of [0, -1, 1.5, Number.NaN]) {
    test(`cannot begin at revision ${firstRevision}`, () => {
      expect(() => new MemoryStorage({ firstRevision })).toThrow("firstRevision must be a whole number above 0");
    });
  }

  test("is of the last events, and of the states between them", async () => {
    await using storage = new MemoryStorage({ historySize: 10 });
    const revisions: number[] = [];
    for (let index = 0; index < 25; index++) revisions.push(await put(storage, `n${index % 3}`, `${index}`));
    const [oldest = 0, forgotten = 0] = [revisions.at(-11), revisions.at(-12)];
    expect(storage.log.positionAfter(notes, forgotten)).toBeUndefined();
    await expect(storage.list(notes, { revision: forgotten })).rejects.toThrow(
      new ExpiredRevision(forgotten, oldest).message,
    );
    expect(eventsAfter(storage, oldest).length).toBe(10);
    expect(await textsOf(storage, { revision: oldest })).toEqual(["12", "13", "14"]);
  });

  test("is everybody's together: a busy collection leaves a quiet one its present, and its past as far as nothing happened", async () => {
    await using storage = new MemoryStorage({ historySize: 10 });
    await put(storage, "a", "one", "quiet");
    const quiet = await put(storage, "a", "two", "quiet");
    const place = storage.log.positionAfter("quiet", quiet) ?? -1;
    for (let index = 0; index < 50; index++) await put(storage, "busy", `${index}`);
    expect([storage.log.positionAfter("quiet", quiet), storage.log.positionAfter("quiet", quiet - 1)]).toEqual([
      place,
      undefined,
    ]);
    expect(await textsOf(storage, { revision: quiet }, "quiet")).toEqual(["two"]);
    await expect(storage.list(notes, { revision: quiet })).rejects.toThrow(ExpiredRevision);
    const next = await put(storage, "a", "three", "quiet");
    expect(eventsAfter(storage, quiet, "quiet")).toEqual([`a: two → three @${next}`]);
  });

  test("may be shorter than one write: its state is known, and who follows has lost its place", async () => {
    await using storage = new MemoryStorage({ historySize: 2 });
    const start = storage.log.revision;
    const position = storage.log.positionAfter(notes, start) ?? -1;
    const { revision } = await written(storage, creation("a"), creation("b"), creation("c"));
    expect([storage.log.at(notes, position), storage.log.positionAfter(notes, start)]).toEqual([
      "forgotten",
      undefined,
    ]);
    expect([await textsOf(storage, { revision }), eventsAfter(storage, revision)]).toEqual([["a", "b", "c"], []]);
  });

  for (const historySize of [0, -1, 1.5, Number.NaN]) {
    test(`cannot be ${historySize} events long`, () => {
      expect(() => new MemoryStorage({ historySize })).toThrow("historySize must be a whole number above 0");
    });
  }

  // Long enough that states are reached from checkpoints, forwards and backwards, and that those asked for last are let go again.
  test("of thousands of events has every state, asked for in any order, while it goes on and is cut off", async () => {
    await using storage = new MemoryStorage({ historySize: 4000 });
    const states = new Map<number, readonly string[]>();
    const texts = new Map<string, string>();
    const write = async (index: number) => {
      const key = `n${String((index * 37) % 50).padStart(2, "0")}`;
      const text = index % 4 === 3 && texts.has(key) ? undefined : `${index}`;
      const revision = await put(storage, key, text);
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
      states.set(
        revision,
        [...texts].sort().map(([, each]) => each),
      );
    };
    const expectState = async (revision: number) => {
      expect(await pagesOf(storage, { revision, limit: 20 }), `at ${revision}`).toEqual(states.get(revision));
    };
    for (let index = 0; index < 6000; index++) {
      await write(index);
      const newest = storage.log.revision;
      const back = (index * 7919) % 3990;
      if (index % 20 === 0 && back < newest - 2) await expectState(newest - back);
    }
    await storage.compact(storage.log.revision - 1500);
    for (let back = 1500; back >= 0; back -= 7) await expectState(storage.log.revision - back);
  });
});

async function pagesOf(storage: Storage, range: Range): Promise<string[]> {
  const texts: string[] = [];
  let page = await storage.list(notes, range);
  for (;;) {
    texts.push(...page.objects.map((object) => textOf(object) ?? ""));
    if (page.remaining === 0) return texts;
    page = await storage.list(notes, { ...range, after: page.lastKey ?? "" });
  }
}

test("a thousand listeners hear of each write once, and each can be gone without the others noticing", async () => {
  await using storage = new MemoryStorage();
  const calls = new Array<number>(1000).fill(0);
  const listeners = calls.map((_, index) =>
    storage.log.onChange(notes, () => {
      calls[index] = (calls[index] ?? 0) + 1;
    }),
  );
  await written(storage, creation("a"), creation("b"));
  for (const each of listeners.slice(500)) each[Symbol.dispose]();
  await written(storage, creation("c"), creation("d"));
  expect(new Set(calls.slice(0, 500))).toEqual(new Set([2]));
  expect(new Set(calls.slice(500))).toEqual(new Set([1]));
});

test("the log is told of a listener that throws", async () => {
  const errors: unknown[] = [];
  const log: Log = { ...noLog, error: (message, fields) => errors.push([message, fields?.["error"]]) };
  await using storage = new MemoryStorage({ log });
  const broken = new Error("broken");
  using _ = storage.log.onChange(notes, () => {
    throw broken;
  });
  await put(storage, "a", "one");
  expect(errors).toEqual([["storage listener failed", broken]]);
});
