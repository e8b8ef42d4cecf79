// What every storage promises of lists: ranges in the order of keys, pages of one state, states of the past, and what a compaction takes.
import { expect, test } from "vitest";
import { notes, put, textOf, textsOf } from "./objects.fixture.ts";
import type { OpenStorage } from "./storage.contract.ts";
import { ExpiredRevision, FutureRevision, type Range } from "./storage.ts";

export function listFacts(open: OpenStorage): void {
  const keys = ["a", "shop-2/web", "shop/api", "shop/web", "shop/web-2", "shop0", "shop\uffff/x", "zoo/\uffff"];
  const rows: readonly (readonly [string, Range, readonly string[], number])[] = [
    ["everything in the order of keys", {}, keys, 0],
    [
      "those that begin alike, and not those that nearly do",
      { prefix: "shop/" },
      ["shop/api", "shop/web", "shop/web-2"],
      0,
    ],
    ["those after a key that is there", { after: "shop/web" }, keys.slice(4), 0],
    ["those after a key that is not there", { after: "shop/b" }, keys.slice(3), 0],
    ["those that begin alike after a key", { prefix: "shop/", after: "shop/api" }, ["shop/web", "shop/web-2"], 0],
    [
      "all that begin alike after a key before them",
      { prefix: "shop/", after: "a" },
      ["shop/api", "shop/web", "shop/web-2"],
      0,
    ],
    ["none that begin alike after a key behind them", { prefix: "shop/", after: "zoo" }, [], 0],
    ["the first few, and how many remain", { limit: 3 }, keys.slice(0, 3), 5],
    ["the first few that begin alike, and how many of those remain", { prefix: "shop/", limit: 1 }, ["shop/api"], 2],
    ["the next few", { prefix: "shop/", after: "shop/api", limit: 1 }, ["shop/web"], 1],
    ["as many as there are when the limit is higher", { limit: 100 }, keys, 0],
    ["none but their number with a limit of 0", { limit: 0 }, [], 8],
    ["the number of those that begin alike with a limit of 0", { prefix: "shop/", limit: 0 }, [], 3],
    ["nothing where nothing begins so", { prefix: "shop/webs" }, [], 0],
    ["what begins with the last character there is", { prefix: "shop\uffff" }, ["shop\uffff/x"], 0],
    ["what begins with nothing but the last character there is", { prefix: "\uffff" }, [], 0],
    ["nothing after the last key", { after: "zoo/\uffff" }, [], 0],
  ];
  for (const [title, range, expected, remaining] of rows) {
    test(`a list gives ${title}`, async () => {
      await using storage = await open();
      for (const key of [...keys].reverse()) await put(storage, key, key);
      const result = await storage.list(notes, range);
      expect(result.objects.map(textOf)).toEqual(expected);
      expect([result.remaining, result.lastKey]).toEqual([remaining, expected.at(-1)]);
      expect(result.revision).toBe(storage.log.revision);
    });
  }

  test("a list is its reader's own", async () => {
    await using storage = await open();
    await put(storage, "a", "one");
    const { objects } = await storage.list(notes, {});
    await put(storage, "b", "two");
    (objects as unknown[]).length = 0;
    expect(await textsOf(storage)).toEqual(["one", "two"]);
  });

  test("pages at one revision are one state, whatever is written between them", async () => {
    await using storage = await open();
    const names = Array.from({ length: 100 }, (_, index) => `n${String(index).padStart(3, "0")}`);
    for (const name of names) await put(storage, name, name);
    const texts: (string | undefined)[] = [];
    let page = await storage.list(notes, { limit: 7 });
    const { revision } = page;
    for (let round = 0; ; round++) {
      texts.push(...page.objects.map(textOf));
      expect([page.revision, page.remaining]).toEqual([revision, 100 - texts.length]);
      if (page.remaining === 0) break;
      await put(storage, `n${String(round).padStart(3, "0")}`, undefined);
      await put(storage, `n${String(99 - round).padStart(3, "0")}`, "changed");
      await put(storage, `n050-${round}`, "new");
      page = await storage.list(notes, { limit: 7, revision, after: page.lastKey ?? "" });
    }
    expect(texts).toEqual(names);
  });
}

export function pastFacts(open: OpenStorage): void {
  test("each state can be listed again", async () => {
    await using storage = await open();
    const empty = storage.log.revision;
    const revisions = [
      await put(storage, "a", "one"),
      await put(storage, "b", "two"),
      await put(storage, "a", "three"),
      await put(storage, "elsewhere", "x", "others"),
      await put(storage, "b", undefined),
    ];
    const states = await Promise.all([empty, ...revisions].map((revision) => textsOf(storage, { revision })));
    expect(states).toEqual([[], ["one"], ["one", "two"], ["three", "two"], ["three", "two"], ["three"]]);
    expect((await storage.list(notes, { revision: empty + 1 })).revision).toBe(empty + 1);
    expect(await textsOf(storage, { revision: empty }, "others")).toEqual([]);
  });

  test("a compaction forgets the states before it and keeps its own", async () => {
    await using storage = await open();
    const [first, second, third] = [
      await put(storage, "a", "one"),
      await put(storage, "a", "two"),
      await put(storage, "a", "three"),
    ];
    await storage.compact(second);
    const forgotten = storage.list(notes, { revision: first });
    await expect(forgotten).rejects.toThrow(ExpiredRevision);
    await expect(forgotten).rejects.toMatchObject({ reason: "Expired", revision: first });
    expect([await textsOf(storage, { revision: second }), await textsOf(storage, { revision: third })]).toEqual([
      ["two"],
      ["three"],
    ]);
  });

  test("a compaction is for collections in which nothing happened too, and an older one changes nothing", async () => {
    await using storage = await open();
    const empty = storage.log.revision;
    const revision = await put(storage, "a", "one");
    await storage.compact(revision);
    await storage.compact(empty);
    await expect(storage.list("others", { revision: empty })).rejects.toThrow(ExpiredRevision);
    expect([storage.log.positionAfter("others", empty), storage.log.positionAfter(notes, empty)]).toEqual([
      undefined,
      undefined,
    ]);
    expect([await textsOf(storage), await textsOf(storage, { revision })]).toEqual([["one"], ["one"]]);
  });

  test("what is yet to come can be neither listed nor compacted", async () => {
    await using storage = await open();
    const revision = (await put(storage, "a", "one")) + 1;
    await expect(storage.list(notes, { revision })).rejects.toThrow(FutureRevision);
    await expect(storage.list("others", { revision })).rejects.toMatchObject({
      reason: "ResourceVersionTooLarge",
      revision,
    });
    await expect(storage.compact(revision)).rejects.toThrow(FutureRevision);
    expect(await textsOf(storage)).toEqual(["one"]);
  });
}
