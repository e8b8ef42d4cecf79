// What every storage promises of snapshots and forks: states that come back, at revisions nobody has seen, without a past.
import { expect, test } from "vitest";
import { eventsAfter, noteAt, notes, put, revisionOf, textsOf } from "./objects.fixture.ts";
import type { OpenStorage } from "./storage.contract.ts";
import { ExpiredRevision, type Storage } from "./storage.ts";

export function snapshotFacts(open: OpenStorage): void {
  const fill = async (storage: Storage) => {
    await put(storage, "a", "one");
    await put(storage, "b", "two");
    await put(storage, "x", "elsewhere", "others");
  };

  test("a restored storage has what it had, and goes on at a revision nobody has seen", async () => {
    await using storage = await open();
    await fill(storage);
    const old = await storage.get(noteAt("a"));
    const snapshot = storage.snapshot();
    const revision = storage.log.revision;
    await put(storage, "a", "changed");
    await put(storage, "b", undefined);
    await put(storage, "c", "new");
    await put(storage, "y", "new", "third");
    const newest = storage.log.revision;
    await storage.restore(snapshot);
    expect([await textsOf(storage), await textsOf(storage, {}, "others"), await textsOf(storage, {}, "third")]).toEqual(
      [["one", "two"], ["elsewhere"], []],
    );
    expect(await storage.get(noteAt("a"))).toBe(old);
    expect([snapshot.revision, storage.log.revision]).toEqual([revision, newest + 1]);
    expect((await storage.list(notes, {})).revision).toBe(newest + 1);
    expect(await put(storage, "a", "again")).toBe(newest + 2);
  });

  test("a restored storage knows no past, and every reader of its log has lost its place and hears so", async () => {
    await using storage = await open();
    const positions = (collection: string) => storage.log.positionAfter(collection, storage.log.revision) ?? -1;
    await fill(storage);
    const snapshot = storage.snapshot();
    await put(storage, "a", "changed");
    const newest = storage.log.revision;
    const places = [notes, "others", "never written"].map((collection) => [collection, positions(collection)] as const);
    const heard: string[] = [];
    const listeners = places.map(([collection]) => storage.log.onChange(collection, () => heard.push(collection)));
    await storage.restore(snapshot);
    expect(places.map(([collection, position]) => storage.log.at(collection, position))).toEqual([
      "forgotten",
      "forgotten",
      "forgotten",
    ]);
    expect(places.map(([collection]) => storage.log.positionAfter(collection, newest))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(heard.sort()).toEqual(places.map(([collection]) => collection).sort());
    await expect(storage.list(notes, { revision: newest })).rejects.toThrow(ExpiredRevision);
    const now = storage.log.revision;
    expect(eventsAfter(storage, now)).toEqual([]);
    const next = await put(storage, "a", "again");
    expect(eventsAfter(storage, now)).toEqual([`a: one → again @${next}`]);
    // Nor does the old place come back to life when as much has happened again.
    for (let i = 0; i < 5; i++) await put(storage, "a", `${i}`);
    expect(places.map(([collection, position]) => storage.log.at(collection, position))).toEqual([
      "forgotten",
      "forgotten",
      "forgotten",
    ]);
    for (const each of listeners) each[Symbol.dispose]();
  });

  test("a snapshot can be restored again and again, and to later ones than those restored", async () => {
    await using storage = await open();
    await put(storage, "a", "one");
    const first = storage.snapshot();
    await put(storage, "a", "two");
    const second = storage.snapshot();
    const seen: string[][] = [];
    for (const snapshot of [first, second, first, first, second]) {
      await storage.restore(snapshot);
      seen.push(await textsOf(storage));
      await put(storage, "a", "spoilt");
      await put(storage, "b", "spoilt");
    }
    expect(seen).toEqual([["one"], ["two"], ["one"], ["one"], ["two"]]);
  });

  test("a revert writes what differs, each at a revision of its own, which readers of the log see", async () => {
    await using storage = await open();
    await fill(storage);
    const unchanged = await storage.get(noteAt("b"));
    const snapshot = storage.snapshot();
    await put(storage, "a", "changed");
    await put(storage, "c", "new");
    await put(storage, "x", undefined, "others");
    const newest = storage.log.revision;
    expect(await storage.revert(snapshot, () => "revert")).toBe(true);
    expect([await textsOf(storage), await textsOf(storage, {}, "others")]).toEqual([["one", "two"], ["elsewhere"]]);
    expect(eventsAfter(storage, newest)).toEqual([`a: changed → one @${newest + 1}`, `c: new → - @${newest + 2}`]);
    expect(eventsAfter(storage, newest, "others")).toEqual([`x: - → elsewhere @${newest + 3}`]);
    expect(revisionOf(await storage.get(noteAt("a")))).toBe(newest + 1);
    expect(await storage.get(noteAt("b"))).toBe(unchanged);
    expect(await textsOf(storage, { revision: newest })).toEqual(["changed", "two", "new"]);
  });

  test("a revert keeps what is to be kept, and one that is refused changes nothing", async () => {
    await using storage = await open();
    await fill(storage);
    const snapshot = storage.snapshot();
    await put(storage, "a", "changed");
    await put(storage, "b", "changed");
    const newest = storage.log.revision;
    expect(await storage.revert(snapshot, ({ key }) => (key === "a" ? "revert" : "refuse"))).toBe(false);
    expect([await textsOf(storage), storage.log.revision]).toEqual([["changed", "changed"], newest]);
    expect(await storage.revert(snapshot, ({ key }) => (key === "a" ? "revert" : "keep"))).toBe(true);
    expect(await textsOf(storage)).toEqual(["one", "changed"]);
  });

  test("a revert to where it is writes nothing, also after another revert", async () => {
    await using storage = await open();
    await fill(storage);
    const snapshot = storage.snapshot();
    await storage.revert(snapshot, () => "refuse");
    expect(storage.log.revision).toBe(snapshot.revision);
    await put(storage, "a", "changed");
    await storage.revert(snapshot, () => "revert");
    const { revision } = storage.log;
    expect(await storage.revert(snapshot, () => "refuse")).toBe(true);
    expect(await storage.revert(storage.snapshot(), () => "refuse")).toBe(true);
    expect(storage.log.revision).toBe(revision);
  });

  test("a fork begins as its origin is, at the same revision, and neither hears of the other", async () => {
    await using storage = await open();
    await fill(storage);
    await using fork = await storage.fork();
    const revision = storage.log.revision;
    const heard: string[] = [];
    using _here = storage.log.onChange(notes, () => heard.push("origin"));
    using _there = fork.log.onChange(notes, () => heard.push("fork"));
    expect(fork.log.revision).toBe(revision);
    expect(await fork.get(noteAt("a"))).toBe(await storage.get(noteAt("a")));
    expect(await textsOf(fork, { revision })).toEqual(["one", "two"]);
    await put(fork, "a", "of the fork");
    await put(storage, "b", undefined);
    expect([await textsOf(fork), await textsOf(storage), heard]).toEqual([
      ["of the fork", "two"],
      ["one"],
      ["fork", "origin"],
    ]);
    expect([eventsAfter(fork, revision), eventsAfter(storage, revision)]).toEqual([
      [`a: one → of the fork @${revision + 1}`],
      [`b: two → - @${revision + 1}`],
    ]);
  });

  test("a fork outlives its origin", async () => {
    const storage = await open();
    await fill(storage);
    await using fork = await storage.fork();
    await storage[Symbol.asyncDispose]();
    await put(fork, "c", "three");
    expect(await textsOf(fork)).toEqual(["one", "two", "three"]);
  });

  // Of its origin, of a fork and of a stranger: only what the storage itself, or its origin before the fork, has written may come
  // back, or one revision would mean two things.
  test("takes snapshots of its own and of its origin from before the fork, also over two generations, and no others", async () => {
    await using storage = await open();
    await put(storage, "a", "one");
    const early = storage.snapshot();
    await put(storage, "a", "two");
    await using fork = await storage.fork();
    await put(storage, "a", "after the fork");
    const late = storage.snapshot();
    await put(fork, "a", "of the fork");
    const ofFork = fork.snapshot();
    await using grandchild = await fork.fork();
    await put(grandchild, "a", "of the grandchild");
    await using stranger = await open();
    const foreign = { reason: "Invalid" };
    for (const [taker, snapshot] of [
      [fork, late],
      [grandchild, late],
      [storage, ofFork],
      [storage, stranger.snapshot()],
      [storage, { revision: early.revision }],
    ] as const) {
      const before = await textsOf(taker);
      await expect(taker.restore(snapshot)).rejects.toMatchObject(foreign);
      await expect(taker.revert(snapshot, () => "revert")).rejects.toMatchObject(foreign);
      expect(await textsOf(taker)).toEqual(before);
    }
    const seen: string[][] = [];
    for (const [taker, snapshot] of [
      [fork, early],
      [grandchild, ofFork],
      [grandchild, early],
      [fork, ofFork],
      [storage, late],
    ] as const) {
      await taker.restore(snapshot);
      seen.push(await textsOf(taker));
    }
    expect(seen).toEqual([["one"], ["of the fork"], ["one"], ["of the fork"], ["after the fork"]]);
  });

  test("closing ends those who read the log", async () => {
    const storage = await open();
    const position = storage.log.positionAfter(notes, storage.log.revision) ?? -1;
    let calls = 0;
    using _ = storage.log.onChange(notes, () => {
      calls++;
    });
    await storage[Symbol.asyncDispose]();
    expect([calls, storage.log.at(notes, position)]).toEqual([1, "forgotten"]);
  });
}
