// What the history may hold: so many bytes and so long, besides so many events. Bytes are counted by walking everything the log still has.
import { FakeClock } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { encodingOf, keptBytesOf, noteCurrent, noteSuperseded, RecentEncodings } from "./encodings.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { estimateBytes } from "./object-bytes.ts";
import { eventsAfter, noteAt, notes, put } from "./objects.fixture.ts";
import { ExpiredRevision, type Storage } from "./storage.ts";

const mebibyte = 1024 * 1024;

/** Every version that the log of the collection still has, once each, without the current one. */
async function supersededIn(storage: Storage): Promise<readonly object[]> {
  const current = await storage.get(noteAt("a"));
  const versions = new Set<object>();
  for (let position = 1; ; position++) {
    const event = storage.log.at(notes, position);
    if (event === undefined) break;
    if (event === "forgotten") continue;
    for (const version of [event.before, event.after]) {
      if (version !== undefined && version !== current) versions.add(version);
    }
  }
  return [...versions];
}

const bytesOf = (versions: readonly object[]) => versions.reduce((sum, version) => sum + estimateBytes(version), 0);

describe("the history in bytes", () => {
  const rows = [
    { updates: 400, size: mebibyte },
    { updates: 2_000, size: 200 * 1024 },
  ];
  for (const { updates, size } of rows) {
    test(`${updates} updates of ${size / 1024} KiB hold no more than the limit, and what is newest`, async () => {
      await using storage = new MemoryStorage();
      const most: number[] = [];
      for (let index = 0; index < updates; index++) {
        await put(storage, "a", `${index}`.padEnd(size, "x"));
        if (index % 100 === 99) most.push(bytesOf(await supersededIn(storage)));
      }
      const limit = 64 * mebibyte;
      // One more: the first event that is known still has the version before it.
      expect(Math.max(...most)).toBeLessThanOrEqual(limit + 2 * size);
      expect(storage.historyBytes).toBeLessThanOrEqual(limit);
      expect(storage.historyBytes).toBeGreaterThan(limit - 2 * size);
      const newest = storage.log.revision;
      expect(eventsAfter(storage, newest - 10)).toHaveLength(10);
      await expect(storage.list(notes, { revision: 2 })).rejects.toThrow(ExpiredRevision);
    });
  }

  test("one version that is larger than the limit is not kept, and who follows has lost its place", async () => {
    await using storage = new MemoryStorage({ historyBytes: 1_000 });
    await put(storage, "a", "small");
    await put(storage, "a", "x".repeat(2_000));
    const position = storage.log.positionAfter(notes, storage.log.revision) ?? -1;
    await put(storage, "a", "small");
    expect(storage.log.at(notes, position)).toBe("forgotten");
    expect(storage.historyBytes).toBe(0);
  });

  test("deleted versions count as those that were superseded", async () => {
    await using storage = new MemoryStorage({ historyBytes: 10_000 });
    for (let index = 0; index < 50; index++) {
      await put(storage, `n${index}`, "x".repeat(1_000));
      await put(storage, `n${index}`, undefined);
    }
    expect(storage.historyBytes).toBeLessThanOrEqual(10_000);
    expect(storage.historyBytes).toBeGreaterThan(5_000);
  });

  for (const historyBytes of [-1, Number.NaN]) {
    test(`cannot be ${historyBytes}`, () => {
      expect(() => new MemoryStorage({ historyBytes })).toThrow("historyBytes must be a number of bytes");
    });
  }
});

describe("the history in time", () => {
  const minuteMs = 60_000;

  test("an event is known for five minutes, whether or not anything is written after it", async () => {
    const clock = new FakeClock();
    await using storage = new MemoryStorage({ clock });
    const first = await put(storage, "a", "one");
    await clock.advance(3 * minuteMs);
    const second = await put(storage, "a", "two");
    await put(storage, "a", "three");
    await clock.advance(2 * minuteMs);
    expect(eventsAfter(storage, first)).toHaveLength(2);
    await clock.advance(1);
    expect(storage.log.positionAfter(notes, first - 1)).toBeUndefined();
    expect(eventsAfter(storage, first)).toHaveLength(2);
    await clock.advance(3 * minuteMs);
    await expect(storage.list(notes, { revision: second })).rejects.toThrow(ExpiredRevision);
    expect(storage.historyBytes).toBe(0);
  });

  test("what has not changed for long is still where its reader left it", async () => {
    const clock = new FakeClock();
    await using storage = new MemoryStorage({ clock });
    const revision = await put(storage, "a", "one", "quiet");
    const position = storage.log.positionAfter("quiet", revision);
    await clock.advance(60 * minuteMs);
    await put(storage, "b", "busy");
    expect(storage.log.positionAfter("quiet", revision)).toBe(position);
  });

  test("but its states are listed for five minutes after anything was written, and the present always", async () => {
    const clock = new FakeClock();
    await using storage = new MemoryStorage({ clock });
    const quiet = await put(storage, "a", "one", "quiet");
    await clock.advance(60 * minuteMs);
    // It is the state of now, however old.
    expect(await storage.list("quiet", { revision: quiet })).toMatchObject({ revision: quiet });
    const next = await put(storage, "b", "busy");
    await clock.advance(5 * minuteMs);
    expect(await storage.list("quiet", { revision: quiet })).toMatchObject({ revision: quiet });
    await clock.advance(1);
    await expect(storage.list("quiet", { revision: quiet })).rejects.toThrow(ExpiredRevision);
    await put(storage, "b", "busier");
    expect(await storage.list("quiet", { revision: next })).toMatchObject({ revision: next });
    expect(storage.log.positionAfter("quiet", quiet)).toBeDefined();
  });

  test("of what is written all the time, what was five minutes ago is known to a second", async () => {
    const clock = new FakeClock();
    await using storage = new MemoryStorage({ clock, historySize: 10 });
    const quiet = await put(storage, "a", "one", "quiet");
    const revisions: number[] = [];
    for (let index = 0; index < 400; index++) {
      await clock.advance(900);
      revisions.push(await put(storage, "b", `${index}`));
    }
    // 360 s: the first revisions are older than 300 s, whatever has become of their events.
    await expect(storage.list("quiet", { revision: quiet })).rejects.toThrow(ExpiredRevision);
    await expect(storage.list("quiet", { revision: revisions[60] ?? 0 })).rejects.toThrow(ExpiredRevision);
    expect(await storage.list("quiet", { revision: revisions[70] ?? 0 })).toMatchObject({ revision: revisions[70] });
  });

  for (const historyAgeMs of [-1, Number.NaN]) {
    test(`cannot be ${historyAgeMs}`, () => {
      expect(() => new MemoryStorage({ historyAgeMs })).toThrow("historyAgeMs must be a number of milliseconds");
    });
  }
});

describe("encodings", () => {
  const bytes = (length: number) => () => new Uint8Array(length);

  test("are kept for the current version, and dropped with it, superseded or deleted", async () => {
    await using storage = new MemoryStorage();
    const keptAfterEach: number[][] = [];
    const versions: object[] = [];
    for (const text of ["one", "two", undefined]) {
      await put(storage, "a", text);
      const version = await storage.get(noteAt("a"));
      if (version !== undefined) {
        versions.push(version);
        encodingOf(version, "json", bytes(10));
        encodingOf(version, "protobuf", bytes(5));
      }
      keptAfterEach.push(versions.map(keptBytesOf));
    }
    expect(keptAfterEach).toEqual([[15], [0, 15], [0, 0]]);
  });

  test("are made once while they are kept", () => {
    const version = {};
    noteCurrent(version);
    let made = 0;
    const make = () => {
      made++;
      return new Uint8Array(1);
    };
    for (let i = 0; i < 3; i++) encodingOf(version, "json", make);
    noteSuperseded(version);
    for (let i = 0; i < 3; i++) encodingOf(version, "json", make);
    // Once more for those who still read the superseded version, among the recent ones.
    expect([made, keptBytesOf(version)]).toEqual([2, 0]);
  });

  test("of everything else are the most recent ones, within a number of bytes", () => {
    const recent = new RecentEncodings(100);
    const objects = Array.from({ length: 50 }, () => ({}));
    for (const object of objects) {
      recent.of(object, "json", bytes(7));
      recent.of(object, "frame", bytes(8));
      expect(recent.bytes).toBeLessThanOrEqual(100);
    }
    let made = 0;
    for (const object of objects.slice(-6)) recent.of(object, "json", () => new Uint8Array(++made));
    expect(made).toBe(0);
    recent.of({}, "json", bytes(1_000));
    expect(recent.bytes).toBe(0);
  });
});
