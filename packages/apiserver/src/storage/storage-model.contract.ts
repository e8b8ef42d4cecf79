// Any sequence of calls, against a model that keeps every state it ever had as a plain map. After each call the storage answers as
// the model does; readers of the log, who read when they feel like it, see each revision once and in order, or learn that they have
// lost their place; what they have put together from a list and the events after it is what a later list says.
import fc from "fast-check";
import { expect, test } from "vitest";
import { note, textOf } from "./objects.fixture.ts";
import type { OpenStorage } from "./storage.contract.ts";
import type { SnapshotStorage, StorageSnapshot, Write } from "./storage.ts";

const collections = ["notes", "apps/others"] as const;
const keys = ["a", "b/a", "b/b", "b/c", "c", "d"] as const;

/** What one collection holds: key → "text@revision". */
type Holding = ReadonlyMap<string, string>;
/** By collection. */
type State = ReadonlyMap<string, Holding>;
const emptyState: State = new Map(collections.map((collection) => [collection, new Map()]));

class Model {
  /** By revision; those that were skipped, by a restore, are not there. */
  readonly states = new Map<number, State>();
  revision: number;
  oldest: number;
  snapshots: { readonly snapshot: StorageSnapshot; readonly state: State }[] = [];
  readers: Reader[] = [];
  writes = 0;

  constructor(revision: number) {
    this.revision = revision;
    this.oldest = revision;
    this.states.set(revision, emptyState);
  }

  get state(): State {
    return this.states.get(this.revision) ?? emptyState;
  }

  revisionOf({ collection, key }: Pick<Write, "collection" | "key">): number {
    return Number(this.state.get(collection)?.get(key)?.split("@")[1] ?? 0);
  }

  advance(state: State): void {
    this.revision++;
    this.states.set(this.revision, state);
  }

  forgetPast(): void {
    this.oldest = this.revision;
  }
}

/** Follows one collection from a list on, and believes only the log. */
class Reader {
  readonly #storage: SnapshotStorage;
  readonly #collection: string;
  #position: number;
  #revision: number;
  /** Whether it has read some events of its revision and not yet all. */
  #isBetween = false;
  #holding: Map<string, string>;
  isLost = false;

  constructor(storage: SnapshotStorage, collection: string, start: { holding: Holding; revision: number }) {
    this.#storage = storage;
    this.#collection = collection;
    this.#revision = start.revision;
    this.#holding = new Map(start.holding);
    this.#position =
      storage.log.positionAfter(collection, start.revision) ?? expect.fail("the list's own revision is forgotten");
  }

  /** Until nothing is left, or so many. */
  read(most: number, model: Model): void {
    for (let count = 0; count < most && !this.isLost; count++) {
      const event = this.#storage.log.at(this.#collection, this.#position);
      if (event === undefined) {
        this.#expectCaughtUp(model);
        return;
      }
      if (event === "forgotten") {
        const least = this.#isBetween ? this.#revision : this.#revision + 1;
        expect(model.oldest, "only who is behind the oldest state is lost").toBeGreaterThanOrEqual(least);
        this.isLost = true;
        return;
      }
      this.#position++;
      expect(event.collection).toBe(this.#collection);
      expect(event.revision, "events are in the order of revisions").toBeGreaterThanOrEqual(this.#revision);
      expect(asText(event.before), "an event begins with what was there").toBe(this.#holding.get(event.key));
      const after = asText(event.after);
      if (after === undefined) this.#holding.delete(event.key);
      else this.#holding.set(event.key, after);
      this.#revision = event.revision;
      const next = this.#storage.log.at(this.#collection, this.#position);
      this.#isBetween = typeof next === "object" && next.revision === event.revision;
      const expected = model.states.get(event.revision)?.get(this.#collection);
      if (!this.#isBetween)
        expect(sorted(this.#holding), `replayed to ${event.revision}`).toEqual(sorted(expected ?? new Map()));
    }
  }

  #expectCaughtUp(model: Model): void {
    expect(sorted(this.#holding), "all events read").toEqual(sorted(model.state.get(this.#collection) ?? new Map()));
  }
}

function asText(object: Parameters<typeof textOf>[0]): string | undefined {
  return object === undefined ? undefined : `${textOf(object)}@${object.metadata.resourceVersion}`;
}

function sorted(holding: Holding): [string, string][] {
  return [...holding].sort(([a], [b]) => (a < b ? -1 : 1));
}

type Step = fc.AsyncCommand<Model, { storage: SnapshotStorage }>;

function step(
  words: string,
  run: (model: Model, storage: SnapshotStorage, real: { storage: SnapshotStorage }) => Promise<void>,
): Step {
  return {
    check: () => true,
    run: async (model, real) => {
      await run(model, real.storage, real);
      expect(real.storage.log.revision).toBe(model.revision);
    },
    toString: () => words,
  };
}

interface PlannedWrite {
  readonly collection: (typeof collections)[number];
  readonly key: (typeof keys)[number];
  readonly kind: "put" | "delete";
  readonly isStale: boolean;
}

const plannedWrites = fc.uniqueArray(
  fc.record<PlannedWrite>({
    collection: fc.constantFrom(...collections),
    key: fc.constantFrom(...keys),
    kind: fc.constantFrom("put", "put", "delete"),
    isStale: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  }),
  { minLength: 1, maxLength: 4, selector: ({ collection, key }) => `${collection} ${key}` },
);

const writeStep = plannedWrites.map((planned) =>
  step(
    `write ${planned.map(({ collection, key, kind }) => `${kind} ${collection} ${key}`).join(", ")}`,
    async (model, storage) => {
      const writes = planned.map(({ collection, key, kind, isStale }): Write => {
        const seen = model.revisionOf({ collection, key });
        const object = kind === "put" ? note(`text-${model.writes++}`) : undefined;
        return { collection, key, expected: isStale ? seen + 1 : seen, object };
      });
      const result = await storage.write(writes);
      const conflict = planned.find(({ isStale }) => isStale);
      if (conflict !== undefined) {
        const { collection, key } = conflict;
        const current = result.kind === "conflict" ? asText(result.current) : undefined;
        expect(result).toMatchObject({ kind: "conflict", storageKey: { collection, key } });
        expect(current).toBe(model.state.get(collection)?.get(key));
        return;
      }
      expect(result.kind).toBe("written");
      const isChange = ({ expected, object }: Write) => expected !== 0 || object !== undefined;
      if (writes.some(isChange)) model.advance(changed(model.state, writes, model.revision + 1));
      expect(result).toMatchObject({ revision: model.revision });
    },
  ),
);

function changed(state: State, writes: readonly Write[], revision: number): State {
  const next = new Map([...state].map(([collection, holding]) => [collection, new Map(holding)]));
  for (const { collection, key, object } of writes) {
    if (object === undefined) next.get(collection)?.delete(key);
    else next.get(collection)?.set(key, `${textOf(object)}@${revision}`);
  }
  return next;
}

const listStep = fc
  .record({
    collection: fc.constantFrom(...collections),
    prefix: fc.constantFrom("", "b/", "c", "nothing"),
    after: fc.constantFrom(undefined, "a", "b/a", "b/aa", "c"),
    limit: fc.constantFrom(undefined, 0, 1, 2, 5),
    back: fc.integer({ min: -1, max: 12 }),
  })
  .map(({ collection, prefix, after, limit, back }) =>
    step(`list ${collection} ${JSON.stringify({ prefix, after, limit, back })}`, async (model, storage) => {
      const revision = back < 0 ? undefined : model.revision - back;
      const range = {
        prefix,
        ...(after && { after }),
        ...(limit !== undefined && { limit }),
        ...(revision !== undefined && { revision }),
      };
      const listed = storage.list(collection, range);
      if (revision !== undefined && revision < model.oldest) {
        await expect(listed).rejects.toMatchObject({ reason: "Expired" });
        return;
      }
      const holding = model.states.get(revision ?? model.revision)?.get(collection) ?? new Map();
      const matching = sorted(holding).filter(
        ([key]) => key.startsWith(prefix) && (after === undefined || key > after),
      );
      const page = matching.slice(0, limit ?? matching.length);
      const { objects, ...rest } = await listed;
      expect(objects.map(asText)).toEqual(page.map(([, text]) => text));
      expect(rest).toEqual({
        revision: revision ?? model.revision,
        remaining: matching.length - page.length,
        lastKey: page.at(-1)?.[0],
      });
    }),
  );

const followStep = fc.constantFrom(...collections).map((collection) =>
  step(`follow ${collection}`, async (model, storage) => {
    const { objects, revision } = await storage.list(collection, {});
    const holding = model.state.get(collection) ?? new Map();
    expect(objects.map(asText)).toEqual(sorted(holding).map(([, text]) => text));
    model.readers.push(new Reader(storage, collection, { holding, revision }));
  }),
);

const readStep = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 })).map(([which, most]) =>
  step(`read ${most}`, async (model) => {
    if (model.readers.length > 0) model.readers[which % model.readers.length]?.read(most, model);
  }),
);

const compactStep = fc.integer({ min: 0, max: 6 }).map((back) =>
  step(`compact ${back} back`, async (model, storage) => {
    const revision = model.revision - back;
    await storage.compact(revision);
    model.oldest = Math.max(model.oldest, revision);
  }),
);

const snapshotStep = fc.constant(
  step("snapshot", async (model, storage) => {
    model.snapshots.push({ snapshot: storage.snapshot(), state: model.state });
  }),
);

const restoreStep = fc.nat().map((which) =>
  step("restore", async (model, storage) => {
    const taken = model.snapshots[which % Math.max(1, model.snapshots.length)];
    if (taken === undefined) return;
    await storage.restore(taken.snapshot);
    model.advance(taken.state);
    model.forgetPast();
  }),
);

/** What has the text that it had keeps its revision; of the rest each has a revision of its own. Readers of the log go on. */
const revertStep = fc.nat().map((which) =>
  step("revert", async (model, storage) => {
    const taken = model.snapshots[which % Math.max(1, model.snapshots.length)];
    if (taken === undefined) return;
    await storage.revert(taken.snapshot, () => "revert");
    for (const collection of [...collections].sort()) {
      const then: Holding = taken.state.get(collection) ?? new Map();
      const now: Holding = model.state.get(collection) ?? new Map();
      for (const key of [...new Set([...now.keys(), ...then.keys()])].sort()) {
        const [text] = then.get(key)?.split("@") ?? [];
        if (now.get(key)?.split("@")[0] === text) continue;
        const write = { collection, key, expected: 0, object: text === undefined ? undefined : note(text) };
        model.advance(changed(model.state, [write], model.revision + 1));
      }
    }
  }),
);

/** The run goes on with the fork, which takes all snapshots of its origin from before. */
const forkStep = fc.constant(
  step("fork", async (model, storage, real) => {
    real.storage = await storage.fork();
    await storage.write([{ collection: "notes", key: "of the origin only", expected: 0, object: note("x") }]);
    await storage[Symbol.asyncDispose]();
    model.readers = [];
    model.forgetPast();
  }),
);

const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => Array.from({ length: weight }, () => arbitrary);

export function storageModel(open: OpenStorage): void {
  test("is as a model that keeps every state", async () => {
    const steps = fc.commands(
      [
        ...weighted(8, writeStep),
        ...weighted(4, listStep),
        ...weighted(2, followStep),
        ...weighted(4, readStep),
        compactStep,
        snapshotStep,
        restoreStep,
        revertStep,
        forkStep,
      ],
      { maxCommands: 60, size: "max" },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        const storage = await open();
        const real = { storage };
        const model = new Model(storage.log.revision);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        for (const reader of model.readers) reader.read(Number.POSITIVE_INFINITY, model);
        await expectWholePast(real.storage, model);
        await real.storage[Symbol.asyncDispose]();
      }),
      { numRuns: 150 },
    );
  });
}

/** A list at each revision that is known, and the events after the oldest applied to its list: the same. */
async function expectWholePast(storage: SnapshotStorage, model: Model): Promise<void> {
  for (const collection of collections) {
    const holding = model.states.get(model.oldest)?.get(collection) ?? new Map();
    const reader = new Reader(storage, collection, { holding, revision: model.oldest });
    for (let revision = model.oldest; revision <= model.revision; revision++) {
      const { objects } = await storage.list(collection, { revision });
      const expected = sorted(model.states.get(revision)?.get(collection) ?? new Map());
      expect(objects.map(asText)).toEqual(expected.map(([, text]) => text));
    }
    reader.read(Number.POSITIVE_INFINITY, model);
    expect(reader.isLost).toBe(false);
  }
}
