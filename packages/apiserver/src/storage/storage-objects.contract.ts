// What every storage promises of objects: stored once, frozen, at their revision; compare-and-write over several keys, all or none.
import { expect, test } from "vitest";
import {
  creation,
  eventsAfter,
  type Note,
  note,
  noteAt,
  notes,
  put,
  revisionOf,
  textOf,
  textsOf,
  written,
} from "./objects.fixture.ts";
import type { OpenStorage } from "./storage.contract.ts";
import type { Write } from "./storage.ts";

export function objectFacts(open: OpenStorage): void {
  test("a new storage has nothing, at a revision that clients do not take for 'whatever you have'", async () => {
    await using storage = await open();
    expect([await storage.get(noteAt("a")), await textsOf(storage)]).toEqual([undefined, []]);
    expect(storage.log.revision).toBeGreaterThan(0);
  });

  test("what is written is that very object, with its revision, frozen all the way down", async () => {
    await using storage = await open();
    const before = storage.log.revision;
    const owners = [{ apiVersion: "v1", kind: "Note", name: "b", uid: "u" }];
    const draft: Note = { ...note("one"), metadata: { name: "a", finalizers: ["f"], ownerReferences: owners } };
    const result = await written(storage, { ...noteAt("a"), expected: 0, object: draft });
    const stored = await storage.get(noteAt("a"));
    const event = storage.log.at(notes, storage.log.positionAfter(notes, before) ?? 0);
    expect([result.revision, storage.log.revision, stored?.metadata.resourceVersion]).toEqual([
      before + 1,
      before + 1,
      String(before + 1),
    ]);
    expect(stored).toBe(draft);
    expect(result.objects).toEqual([draft]);
    expect((await storage.list(notes, {})).objects[0]).toBe(draft);
    expect(event).toMatchObject({ after: { data: { text: "one" } } });
    const parts = [draft, draft.metadata, draft.metadata.finalizers, owners, owners[0], draft.data];
    expect(parts.map(Object.isFrozen)).toEqual(parts.map(() => true));
  });

  test("a version shares with the one before it what its writer took from there", async () => {
    await using storage = await open();
    await put(storage, "a", "one");
    const old = (await storage.get(noteAt("a"))) as Note;
    const draft: Note = { ...old, metadata: { ...old.metadata, labels: { new: "yes" } } };
    await written(storage, { ...noteAt("a"), expected: revisionOf(old), object: draft });
    const now = (await storage.get(noteAt("a"))) as Note;
    expect(now.data).toBe(old.data);
    expect([revisionOf(now) - revisionOf(old), old.metadata.labels, now.metadata.labels]).toEqual([
      1,
      undefined,
      { new: "yes" },
    ]);
  });

  test("the revision stands where the draft has a place for it", async () => {
    await using storage = await open();
    const draft = { ...note("one"), metadata: { name: "a", resourceVersion: "", uid: "u" } };
    await written(storage, { ...noteAt("a"), expected: 0, object: draft });
    expect(Object.keys((await storage.get(noteAt("a")))?.metadata ?? {})).toEqual(["name", "resourceVersion", "uid"]);
  });

  // What is there: "a", twice written. Its revisions are [first, second].
  const expectations: readonly (readonly [string, (revisions: readonly [number, number]) => Write, boolean])[] = [
    ["creates where there is nothing", () => creation("b"), true],
    ["does not create where there is something", () => creation("a"), false],
    ["updates what is as seen", ([, second]) => ({ ...noteAt("a"), expected: second, object: note("x") }), true],
    [
      "does not update what was seen before",
      ([first]) => ({ ...noteAt("a"), expected: first, object: note("x") }),
      false,
    ],
    ["does not update what is not there", ([first]) => ({ ...noteAt("b"), expected: first, object: note("x") }), false],
    ["deletes what is as seen", ([, second]) => ({ ...noteAt("a"), expected: second, object: undefined }), true],
    [
      "does not delete what was seen before",
      ([first]) => ({ ...noteAt("a"), expected: first, object: undefined }),
      false,
    ],
    ["does not delete what is not there", ([first]) => ({ ...noteAt("b"), expected: first, object: undefined }), false],
    ["makes sure that there is nothing", () => ({ ...noteAt("b"), expected: 0, object: undefined }), true],
    ["makes sure in vain that there is nothing", () => ({ ...noteAt("a"), expected: 0, object: undefined }), false],
    [
      "does not take another collection's revision",
      ([, second]) => ({ collection: "others", key: "a", expected: second, object: note("x") }),
      false,
    ],
  ];
  for (const [title, writeFor, isWritten] of expectations) {
    test(`a write ${title}`, async () => {
      await using storage = await open();
      const revisions = [await put(storage, "a", "one"), await put(storage, "a", "two")] as const;
      const write = writeFor(revisions);
      const current = await storage.get(write);
      const result = await storage.write([write]);
      if (isWritten) {
        expect([result.kind, await storage.get(write)]).toEqual(["written", write.object]);
      } else {
        expect(result).toEqual({
          kind: "conflict",
          storageKey: { collection: write.collection, key: write.key },
          current,
        });
        expect(storage.log.revision).toBe(revisions[1]);
        expect(await storage.get(write)).toBe(current);
      }
    });
  }

  test("several keys are written at one revision", async () => {
    await using storage = await open();
    const gone = await put(storage, "gone", "one");
    const { revision, objects } = await written(
      storage,
      creation("a"),
      { ...noteAt("gone"), expected: gone, object: undefined },
      creation("b", "b", "others"),
    );
    expect(objects.map((object) => [textOf(object), object?.metadata.resourceVersion])).toEqual([
      ["a", String(revision)],
      [undefined, undefined],
      ["b", String(revision)],
    ]);
    expect([revision, await textsOf(storage), await textsOf(storage, {}, "others")]).toEqual([gone + 1, ["a"], ["b"]]);
  });

  test("of several keys none is written when one is not as expected, and the conflict names that one", async () => {
    await using storage = await open();
    const revision = await put(storage, "b", "there");
    const drafts = [note("x"), note("y"), note("z")];
    const result = await storage.write([
      { ...noteAt("a"), expected: 0, object: drafts[0] },
      { ...noteAt("b"), expected: 0, object: drafts[1] },
      { ...noteAt("c"), expected: 0, object: drafts[2] },
    ]);
    expect(result).toEqual({ kind: "conflict", storageKey: noteAt("b"), current: await storage.get(noteAt("b")) });
    expect([await textsOf(storage), storage.log.revision, eventsAfter(storage, revision)]).toEqual([
      ["there"],
      revision,
      [],
    ]);
    expect(drafts.map((draft) => [draft.metadata.resourceVersion, Object.isFrozen(draft)])).toEqual([
      [undefined, false],
      [undefined, false],
      [undefined, false],
    ]);
  });

  test("what changes nothing makes no revision and no event", async () => {
    await using storage = await open();
    const revision = await put(storage, "a", "one");
    const nothing = await written(storage);
    const guard = await written(storage, { ...noteAt("b"), expected: 0, object: undefined });
    expect([nothing, guard]).toEqual([
      { kind: "written", revision, objects: [] },
      { kind: "written", revision, objects: [undefined] },
    ]);
    expect([storage.log.revision, eventsAfter(storage, revision)]).toEqual([revision, []]);
  });

  const unsound: readonly (readonly [string, (stored: Note) => readonly Write[]])[] = [
    ["an object that is stored already", (stored) => [{ ...noteAt("b"), expected: 0, object: stored }]],
    [
      "an object whose metadata is stored already",
      (stored) => [{ ...noteAt("b"), expected: 0, object: { ...stored, data: { text: "b" } } }],
    ],
    ["the same key twice", () => [creation("b", "one"), creation("c"), creation("b", "two")]],
  ];
  for (const [title, writesFor] of unsound) {
    test(`a write of ${title} is refused whole`, async () => {
      await using storage = await open();
      const revision = await put(storage, "a", "a");
      const stored = (await storage.get(noteAt("a"))) as Note;
      await expect(storage.write([creation("z"), ...writesFor(stored)])).rejects.toMatchObject({ reason: "Invalid" });
      expect([await textsOf(storage), storage.log.revision]).toEqual([["a"], revision]);
    });
  }

  test("a storage that is closed refuses everything, and may be closed again", async () => {
    const storage = await open();
    const snapshot = storage.snapshot();
    await storage[Symbol.asyncDispose]();
    await storage[Symbol.asyncDispose]();
    const closed = { reason: "Closed" };
    await expect(storage.get(noteAt("a"))).rejects.toMatchObject(closed);
    await expect(storage.list(notes, {})).rejects.toMatchObject(closed);
    await expect(storage.write([creation("a")])).rejects.toMatchObject(closed);
    await expect(storage.compact(1)).rejects.toMatchObject(closed);
    await expect(storage.restore(snapshot)).rejects.toMatchObject(closed);
    await expect(storage.fork()).rejects.toMatchObject(closed);
    expect(() => storage.snapshot()).toThrow("the storage is closed");
  });
}
