import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PersistentTree } from "./persistent-tree.ts";

/** The same, as slow and plain as can be: a sorted list of entries. */
class Model {
  entries: [string, number][] = [];

  get keys(): string[] {
    return this.entries.map(([key]) => key);
  }

  get(key: string): number | undefined {
    return this.entries.find(([each]) => each === key)?.[1];
  }

  set(key: string, value: number): void {
    this.delete(key);
    this.entries.push([key, value]);
    this.entries.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  delete(key: string): boolean {
    const before = this.entries.length;
    this.entries = this.entries.filter(([each]) => each !== key);
    return this.entries.length < before;
  }

  rank(key: string): number {
    return this.entries.filter(([each]) => each < key).length;
  }

  clone(): Model {
    const clone = new Model();
    clone.entries = [...this.entries];
    return clone;
  }
}

function differences(model: Model, other: Model): readonly unknown[] {
  const keys = [...new Set([...model.keys, ...other.keys])].sort((a, b) => (a < b ? -1 : 1));
  return keys
    .map((key) => ({ key, before: other.get(key), after: model.get(key) }))
    .filter(({ before, after }) => before !== after);
}

interface Pair {
  readonly tree: PersistentTree<number>;
  readonly model: Model;
}

function expectSame({ tree, model }: Pair): void {
  expect(tree.size).toBe(model.entries.length);
  expect(tree.slice(0, Number.POSITIVE_INFINITY)).toEqual(model.entries.map(([, value]) => value));
  expect(model.keys.map((_, rank) => tree.keyAt(rank))).toEqual(model.keys);
}

const key = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 600 }).map((number) => `shop/web-${number}`) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 600 }).map((number) => `shop-2/web-${number}`) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
);
/** Long runs make nodes split, join and disappear at several levels; single steps alone hardly do. */
const command = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key }),
  fc.record({ kind: fc.constant("delete" as const), key }),
  fc.record({
    kind: fc.constantFrom("setRun" as const, "deleteRun" as const),
    from: fc.integer({ min: 0, max: 1500 }),
    count: fc.integer({ min: 1, max: 400 }),
    step: fc.constantFrom(1, -1, 7),
  }),
  fc.record({ kind: fc.constant("clone" as const) }),
  fc.record({ kind: fc.constant("switch" as const), to: fc.nat() }),
);

const runKey = (index: number) => `shop/run-${String(((index % 1500) + 1500) % 1500).padStart(4, "0")}`;

test("a tree is its model, and so is each clone of it, whatever happens to the others", () => {
  fc.assert(
    fc.property(
      fc.array(command, { maxLength: 40 }),
      fc.array(key, { maxLength: 20 }),
      fc.array(fc.tuple(fc.nat(2000), fc.nat(2000)), { maxLength: 10 }),
      (commands, probes, slices) => {
        const pairs: Pair[] = [{ tree: new PersistentTree(), model: new Model() }];
        let current = pairs[0] as Pair;
        let value = 0;
        const set = (at: string) => {
          value++;
          current.tree.set(at, value);
          current.model.set(at, value);
        };
        const remove = (at: string) => expect(current.tree.delete(at)).toBe(current.model.delete(at));
        for (const each of commands) {
          if (each.kind === "set") set(each.key);
          else if (each.kind === "delete") remove(each.key);
          else if (each.kind === "switch") current = pairs[each.to % pairs.length] as Pair;
          else if (each.kind === "clone") pairs.push({ tree: current.tree.clone(), model: current.model.clone() });
          else {
            const change = each.kind === "setRun" ? set : remove;
            for (let i = 0; i < each.count; i++) change(runKey(each.from + i * each.step));
          }
        }
        for (const pair of pairs) {
          expectSame(pair);
          const first = pairs[0] as Pair;
          expect(pair.tree.differencesFrom(first.tree)).toEqual(differences(pair.model, first.model));
          for (const probe of [...probes, ...pair.model.keys.slice(0, 5), "", "\uffff"]) {
            expect(pair.tree.get(probe)).toBe(pair.model.get(probe));
            expect(pair.tree.rank(probe)).toBe(pair.model.rank(probe));
          }
          for (const [start, end] of slices) {
            const expected = pair.model.entries.slice(start, end).map(([, each]) => each);
            expect(pair.tree.slice(start, end)).toEqual(expected);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

// Deep enough that branches split, empty and join: their bounds go wrong where leaves' do not.
test("a tree of three levels is its model through long runs of keys that come and go", () => {
  const run = fc.record({
    kind: fc.constantFrom("set" as const, "delete" as const, "clone" as const),
    from: fc.nat(6000),
    length: fc.nat(4000),
    step: fc.constantFrom(1, 1, 2, 13, 40, 97),
  });
  const indexKey = (index: number) => `key-${String(index).padStart(5, "0")}`;
  fc.assert(
    fc.property(fc.array(run, { minLength: 10, maxLength: 25 }), (runs) => {
      let tree = new PersistentTree<number>();
      let model = new Map<string, number>();
      const left: (readonly [PersistentTree<number>, ReadonlyMap<string, number>])[] = [];
      for (let index = 0; index < 6000; index++) {
        tree.set(indexKey(index), index);
        model.set(indexKey(index), index);
      }
      for (const [round, each] of runs.entries()) {
        if (each.kind === "clone") {
          left.push([tree, model]);
          [tree, model] = [tree.clone(), new Map(model)];
        }
        for (let index = each.from; index < each.from + each.length; index += each.step) {
          if (each.kind === "set") {
            tree.set(indexKey(index), round);
            model.set(indexKey(index), round);
          } else if (tree.delete(indexKey(index)) !== model.delete(indexKey(index))) {
            expect.fail(`${indexKey(index)} was there in one only`);
          }
        }
      }
      for (const [someTree, someModel] of [...left, [tree, model] as const]) {
        const entries = [...someModel].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(someTree.slice(0, someTree.size)).toEqual(entries.map(([, value]) => value));
        const wrong = entries.filter(
          ([at, value], rank) =>
            someTree.get(at) !== value || someTree.rank(at) !== rank || someTree.keyAt(rank) !== at,
        );
        expect(wrong).toEqual([]);
      }
    }),
    { numRuns: 15 },
  );
});

describe("a tree of many keys", () => {
  const count = 5000;
  const name = (index: number) => `key-${String(index).padStart(5, "0")}`;
  /** Each index below `count` once, in no order one would think of. */
  const scattered = Array.from({ length: count }, (_, index) => (index * 2741) % count);
  const orders: readonly (readonly [string, readonly number[]])[] = [
    ["rising", Array.from({ length: count }, (_, index) => index)],
    ["falling", Array.from({ length: count }, (_, index) => count - 1 - index)],
    ["scattered", scattered],
  ];

  for (const [order, indexes] of orders) {
    test(`holds them in order when they come ${order}, and nothing when they have gone the same way`, () => {
      const tree = new PersistentTree<number>();
      for (const index of indexes) tree.set(name(index), index);
      expect(tree.slice(0, count)).toEqual(Array.from({ length: count }, (_, index) => index));
      expect([tree.rank(name(1234)), tree.keyAt(1234), tree.get(name(1234))]).toEqual([1234, name(1234), 1234]);
      for (const index of indexes) expect(tree.delete(name(index))).toBe(true);
      expect([tree.size, tree.slice(0, count), tree.keyAt(0), tree.get(name(1))]).toEqual([
        0,
        [],
        undefined,
        undefined,
      ]);
      tree.set("again", 1);
      expect(tree.slice(0, 1)).toEqual([1]);
    });
  }

  test("keeps those that are left in order when most are deleted", () => {
    const tree = new PersistentTree<number>();
    for (const index of scattered) tree.set(name(index), index);
    for (const index of scattered) if (index % 50 !== 0) tree.delete(name(index));
    expect(tree.slice(0, count)).toEqual(Array.from({ length: count / 50 }, (_, index) => index * 50));
  });

  test("finds a key that came where a whole leaf had gone, also after branches have joined", () => {
    // One of these leaves is the first of its branch. Its neighbour is full, so that the leaf goes and does not join.
    for (let gap = 0; gap < count - 100; gap += 31) {
      const tree = new PersistentTree<number>();
      for (let index = 0; index < count; index++) tree.set(name(index), index);
      tree.set(`${name(gap + 40)}-more`, 0);
      for (let index = gap; index < gap + 31; index++) tree.delete(name(index));
      tree.set(name(gap + 5), gap + 5);
      for (let index = 0; index < count; index++) if (index % 100 !== 0 && index !== gap + 5) tree.delete(name(index));
      expect(tree.get(name(gap + 5)), name(gap + 5)).toBe(gap + 5);
    }
  });

  test("is not changed by what happens to its clone, nor the clone by what happens to it", () => {
    const tree = new PersistentTree<number>();
    for (let index = 0; index < count; index++) tree.set(name(index), index);
    const clone = tree.clone();
    for (let index = 0; index < count; index += 2) clone.delete(name(index));
    for (let index = 0; index < count; index += 3) tree.set(name(index), -index);
    expect([tree.size, clone.size]).toEqual([count, count / 2]);
    expect([tree.get(name(3)), clone.get(name(3)), tree.get(name(2)), clone.get(name(2))]).toEqual([
      -3,
      3,
      2,
      undefined,
    ]);
  });
});

test("to delete what is not there changes nothing", () => {
  const tree = new PersistentTree<number>();
  tree.set("a", 1);
  expect([tree.delete("b"), tree.size]).toEqual([false, 1]);
});

test("slices outside the tree are empty, and those that reach beyond it end with it", () => {
  const tree = new PersistentTree<number>();
  for (const [index, each] of ["a", "b", "c"].entries()) tree.set(each, index);
  expect([tree.slice(3, 9), tree.slice(2, 1), tree.slice(-4, 1), tree.slice(1, 99)]).toEqual([[], [], [0], [1, 2]]);
  expect([tree.keyAt(-1), tree.keyAt(3)]).toEqual([undefined, undefined]);
});
