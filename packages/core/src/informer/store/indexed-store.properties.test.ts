import fc from "fast-check";
import { expect, test } from "vitest";
import { IndexedStore, type Transaction } from "./indexed-store.ts";
import { broken, type Pod, usedBy, usersOf } from "./objects.fixture.ts";
import type { Indexers } from "./store.ts";
import { TransactionError } from "./store-errors.ts";

// A store that has no indexes: it works every answer out from its objects.
class Model {
  objects = new Map<string, Pod>();
  readonly indexers: Record<string, (each: Pod) => readonly string[]> = { byUser: usersOf };

  isPlaceable(each: Pod): boolean {
    try {
      for (const place of Object.values(this.indexers)) place(each);
      return true;
    } catch {
      return false;
    }
  }

  add(each: Pod): void {
    if (this.isPlaceable(each)) this.objects.set(each.metadata.name, each);
  }

  replace(pods: readonly Pod[]): void {
    const before = this.objects;
    this.objects = new Map();
    for (const each of pods) this.add(each);
    for (const { metadata } of pods) {
      const last = before.get(metadata.name);
      if (!this.objects.has(metadata.name) && last !== undefined) this.objects.set(metadata.name, last);
    }
  }

  byIndex(name: string): Record<string, string[]> {
    const found: Record<string, string[]> = {};
    for (const [key, each] of [...this.objects].sort())
      for (const value of new Set(this.indexers[name]?.(each))) found[value] = [...(found[value] ?? []), key];
    return found;
  }
}

const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
const users = fc.array(fc.constantFrom("ernie", "bert", "elmo", "oscar"), { maxLength: 3 });
const somePod = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(name, users).map(([each, by]) => usedBy(each, by.join(","))) },
  { weight: 1, arbitrary: name.map((each) => broken(each)) },
);
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("add" as const), pod: somePod }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("replace" as const), pods: fc.array(somePod, { maxLength: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("write" as const), pods: fc.array(somePod, { maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("index" as const), letter: fc.constantFrom("u", "e") }) },
);

function tolerate(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof TransactionError) && (error as Error).name !== "IndexError") throw error;
  }
}

test("whatever is written, every index says what the objects say", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      const store = new IndexedStore<Pod>({ indexers: { byUser: usersOf }, freeze: true });
      const model = new Model();
      for (const each of commands) {
        switch (each.do) {
          case "add":
            tolerate(() => store.add(each.pod));
            model.add(each.pod);
            break;
          case "delete":
            store.delete(usedBy(each.name, ""));
            model.objects.delete(each.name);
            break;
          case "replace":
            tolerate(() => store.replace(each.pods, "1"));
            model.replace(each.pods);
            break;
          case "write":
            tolerate(() =>
              store.transaction(each.pods.map((object): Transaction<Pod> => ({ type: "Update", object }))),
            );
            for (const object of each.pods) model.add(object);
            break;
          case "index": {
            if (each.letter in model.indexers) break;
            const indexers: Indexers<Pod> = {
              [each.letter]: (one) => usersOf(one).filter((user) => user.includes(each.letter)),
            };
            store.addIndexers(indexers);
            Object.assign(model.indexers, indexers);
          }
        }
        expect(store.listKeys().sort()).toEqual([...model.objects.keys()].sort());
        for (const index of Object.keys(model.indexers)) {
          const found = Object.fromEntries(
            store.listIndexFuncValues(index).map((value) => [value, store.indexKeys(index, value)]),
          );
          expect(found).toEqual(model.byIndex(index));
          for (const [value, keys] of Object.entries(found)) {
            const listed = store.byIndex(index, value);
            expect(listed.map(({ metadata }) => metadata.name).sort()).toEqual(keys);
            expect(listed.every((one) => one === store.getByKey(one.metadata.name))).toBe(true);
          }
        }
      }
    }),
    { numRuns: 150 },
  );
});
