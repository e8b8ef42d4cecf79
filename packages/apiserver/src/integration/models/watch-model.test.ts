import { FakeClock, seededRandom } from "@kubeloop/core/base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { MemoryStorage } from "../../storage/index.ts";
import { listMaps, MapWatcher } from "./map-reader.contract.ts";
import { type Deed, MapWriter } from "./map-writer.contract.ts";
import { everything, expectedEvents, isRed, type Matches, seenOf, stateAt } from "./watched-history.contract.ts";

const names = ["a", "b", "c", "d"];
const colours = ["red", "blue", "green"];
const name = fc.constantFrom(...names);
const colour = fc.constantFrom(...colours);
const deeds: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deed: fc.constant("create" as const), name, colour, isFinal: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ deed: fc.constant("update" as const), name, colour }) },
  {
    weight: 4,
    arbitrary: fc.record({
      deed: fc.constant("patch" as const),
      name,
      colour: fc.option(colour),
      kind: fc.constantFrom("json", "merge", "strategic"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ deed: fc.constant("delete" as const), name }) },
  { weight: 2, arbitrary: fc.record({ deed: fc.constant("release" as const), name }) },
);

async function openWorld(historySize = 20_000) {
  const clock = new FakeClock();
  const storage = new MemoryStorage({ historySize });
  const server = await ApiServer.open({ clock, storage, random: seededRandom(1) });
  const writer = new MapWriter(server.transport, storage);
  return { clock, storage, server, writer, transport: server.transport };
}

const forms = ["values", "bytes", "metadata"] as const;
const selectors: readonly (readonly [query: Record<string, string>, matches: Matches])[] = [
  [{}, everything],
  [{ labelSelector: "colour=red" }, isRed],
  [{ fieldSelector: "metadata.name=a" }, ({ metadata }) => metadata.name === "a"],
  [{ labelSelector: "colour!=red" }, (object) => !isRed(object)],
];

test("each watcher sees each change that concerns it once, in order, whenever and however it began", async () => {
  const watchers = fc.array(
    fc.record({
      /** After how many deeds it begins. */
      begins: fc.nat(40),
      /** How many changes before that it goes back. */
      back: fc.nat(10),
      form: fc.constantFrom(...forms),
      selector: fc.nat(selectors.length - 1),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(deeds, { minLength: 5, maxLength: 40 }), watchers, async (planned, plans) => {
      const { clock, storage, server, writer, transport } = await openWorld();
      const first = storage.log.revision;
      const life = new AbortController();
      const running: { watcher: MapWatcher; from: number; matches: Matches; done: Promise<void> }[] = [];
      for (let step = 0; step <= planned.length; step++) {
        for (const { back, form, selector } of plans.filter(({ begins }) => begins % (planned.length + 1) === step)) {
          const [query, matches] = selectors[selector] ?? [{}, everything];
          const from = writer.history.at(-1 - back)?.revision ?? first;
          const watcher = new MapWatcher({ query: { ...query, resourceVersion: String(from) }, form });
          const reading = await watcher.open(transport, life.signal);
          running.push({ watcher, from, matches, done: reading.run(life.signal) });
        }
        const deed = planned[step];
        if (deed !== undefined) await writer.write(deed);
      }
      await clock.settle();
      for (const { watcher, from, matches } of running) {
        expect(watcher.seen).toEqual(expectedEvents(writer.history, from, matches));
        expect(watcher.end).toBeUndefined();
      }
      life.abort();
      await Promise.all(running.map(({ done }) => done));
      expect(clock.pending().filter(({ name: timer }) => timer === "watch")).toEqual([]);
      await server[Symbol.asyncDispose]();
    }),
    { numRuns: 60 },
  );
});

test("a list and a watch from it come to what a WatchList comes to, and to a later list", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(deeds, { maxLength: 15 }),
      fc.array(deeds, { maxLength: 15 }),
      fc.constantFrom(...forms),
      fc.nat(selectors.length - 1),
      async (earlier, later, form, which) => {
        const { clock, server, writer, transport } = await openWorld();
        const [query] = selectors[which] ?? [{}];
        for (const deed of earlier) await writer.write(deed);
        const life = new AbortController();
        const listed = await listMaps(transport, query);
        const from = listed.metadata.resourceVersion;
        const plain = new MapWatcher({ query: { ...query, resourceVersion: from }, form });
        const initial = {
          sendInitialEvents: "true",
          resourceVersionMatch: "NotOlderThan",
          allowWatchBookmarks: "true",
        };
        const whole = new MapWatcher({ query: { ...query, ...initial }, form });
        const readings = [await plain.open(transport, life.signal), await whole.open(transport, life.signal)];
        const done = readings.map((reading) => reading.run(life.signal));
        await clock.settle();
        expect(whole.seen).toEqual(listed.items.map((item) => seenOf("ADDED", item)));
        const [bookmark] = whole.others;
        expect(bookmark?.object.metadata).toMatchObject({
          resourceVersion: from,
          annotations: { "k8s.io/initial-events-end": "true" },
        });
        for (const deed of later) await writer.write(deed);
        await clock.settle();
        expect(whole.seen.slice(listed.items.length)).toEqual(plain.seen);
        const end = await listMaps(transport, query);
        const replayed = replay(whole.seen);
        expect(replayed).toEqual(end.items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]));
        life.abort();
        await Promise.all(done);
        await server[Symbol.asyncDispose]();
      },
    ),
    { numRuns: 60 },
  );
});

/** Names and versions that are left after these events, in the order of names. */
function replay(seen: readonly { type: string; name: string; revision: number }[]): [string, number][] {
  const state = new Map<string, number>();
  for (const { type, name: of, revision } of seen) {
    if (type === "DELETED") state.delete(of);
    else state.set(of, revision);
  }
  return [...state].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test("a watcher that does not read is closed when it is left behind, and has skipped nothing before", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 12 }),
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom(...forms),
      async (historySize, writes, form) => {
        const { clock, storage, server, writer, transport } = await openWorld(historySize);
        await writer.write({ deed: "create", name: "a", colour: "red", isFinal: false });
        const from = storage.log.revision;
        const life = new AbortController();
        const watcher = new MapWatcher({ query: { resourceVersion: String(from) }, form });
        const reading = await watcher.open(transport, life.signal);
        await writer.write({ deed: "update", name: "a", colour: "blue" });
        await reading.readOne();
        for (let i = 0; i < writes; i++) await writer.write({ deed: "update", name: "a", colour: String(i) });
        const done = reading.run(life.signal);
        await clock.settle();
        const expected = expectedEvents(writer.history, from, everything);
        const isLost = writes > historySize;
        expect(watcher.end).toBe(isLost ? "closed" : undefined);
        if (isLost) expect(watcher.seen).toEqual(expected.slice(0, watcher.seen.length));
        else expect(watcher.seen).toEqual(expected);
        life.abort();
        await done;
        await server[Symbol.asyncDispose]();
      },
    ),
    { numRuns: 60 },
  );
});

test("pages of a list are the list at the revision of the first, whatever is written in between", async () => {
  const moments = fc.array(fc.array(deeds, { maxLength: 4 }), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(deeds, { maxLength: 20 }),
      moments,
      fc.integer({ min: 1, max: 3 }),
      fc.nat(selectors.length - 1),
      async (earlier, between, limit, which) => {
        const { server, writer, transport } = await openWorld();
        const [query, matches] = selectors[which] ?? [{}, everything];
        for (const deed of earlier) await writer.write(deed);
        const seen: unknown[] = [];
        let token: string | undefined;
        let revision = "";
        for (let page = 0; page === 0 || token !== undefined; page++) {
          const more = token === undefined ? {} : { continue: token };
          const { items, metadata } = await listMaps(transport, { ...query, limit: String(limit), ...more });
          if (page === 0) revision = metadata.resourceVersion;
          expect(metadata.resourceVersion).toBe(revision);
          expect(items.length).toBeLessThanOrEqual(limit);
          seen.push(...items.map((item) => seenOf("", item)));
          token = metadata.continue;
          for (const deed of between[page % between.length] ?? []) await writer.write(deed);
        }
        const whole = stateAt(writer.history, Number(revision)).filter(matches);
        expect(seen).toEqual(whole.map((object) => seenOf("", object)));
        await server[Symbol.asyncDispose]();
      },
    ),
    { numRuns: 80 },
  );
});
