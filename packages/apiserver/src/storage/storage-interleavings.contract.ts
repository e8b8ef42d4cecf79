// Many callers at once, in any order that their waiting allows: fast-check decides whose call goes to the storage next, and whose
// answer comes back next. Whatever it decides, no update is lost and nobody sees half of a write.
import fc from "fast-check";
import { expect, test } from "vitest";
import { creation, note, noteAt, notes, revisionOf, textOf, written } from "./objects.fixture.ts";
import type { OpenStorage } from "./storage.contract.ts";
import type { Range, Storage, StorageKey, Write } from "./storage.ts";

const accounts = ["a", "b", "c"] as const;
const total = 30;

export function storageInterleavings(open: OpenStorage): void {
  const transfers = fc.array(
    fc.record({
      from: fc.constantFrom(...accounts),
      to: fc.constantFrom(...accounts),
      amount: fc.integer({ min: 1, max: 5 }),
    }),
    { minLength: 2, maxLength: 8 },
  );

  test("transfers between accounts, made by many at once, lose nothing, and every state in between adds up", async () => {
    await fc.assert(
      fc.asyncProperty(transfers, fc.scheduler(), async (planned, scheduler) => {
        await using storage = await open();
        const { revision } = await written(
          storage,
          ...accounts.map((key) => creation(key, String(total / accounts.length))),
        );
        const remote = new Remote(storage, scheduler);
        const clients = planned.filter(({ from, to }) => from !== to).map((each) => transfer(remote, each));
        const sums: number[] = [];
        const auditor = audit(remote, sums);
        await scheduler.waitFor(Promise.all([...clients, auditor]));
        expect(sums.filter((sum) => sum !== total)).toEqual([]);
        expect(await replay(storage, revision)).toEqual(expectedBalances(planned));
        expect(storage.log.revision).toBe(revision + clients.length);
      }),
      { numRuns: 100 },
    );
  });

  test("of many who create the same key at once, one does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.scheduler(), async (count, scheduler) => {
        await using storage = await open();
        const remote = new Remote(storage, scheduler);
        const results = await scheduler.waitFor(
          Promise.all(Array.from({ length: count }, (_, index) => remote.write([creation("a", `${index}`)]))),
        );
        const winners = results.flatMap((result) => (result.kind === "written" ? result.objects : []));
        const told = results.flatMap((result) => (result.kind === "conflict" ? [result.current] : []));
        expect([winners.length, told.length]).toEqual([1, count - 1]);
        expect(await storage.get(noteAt("a"))).toBe(winners[0]);
        expect(told.every((current) => current === winners[0])).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("writes that are all made before any is awaited are done in the order they were made", async () => {
    await using storage = await open();
    const start = storage.log.revision;
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => storage.write([creation(`n-${index}`)])),
    );
    expect(results.map((result) => (result.kind === "written" ? result.revision : result.kind))).toEqual(
      Array.from({ length: 50 }, (_, index) => start + 1 + index),
    );
  });
}

/** The storage as it looks from afar: calls and answers take their time. */
class Remote {
  readonly #storage: Storage;
  readonly #scheduler: fc.Scheduler;

  constructor(storage: Storage, scheduler: fc.Scheduler) {
    this.#storage = storage;
    this.#scheduler = scheduler;
  }

  get = (storageKey: StorageKey) => this.#slowly(() => this.#storage.get(storageKey));
  list = (collection: string, range: Range) => this.#slowly(() => this.#storage.list(collection, range));
  write = (writes: readonly Write[]) => this.#slowly(() => this.#storage.write(writes));

  async #slowly<T>(call: () => Promise<T>): Promise<T> {
    await this.#scheduler.schedule(Promise.resolve("call"));
    const answer = await call();
    await this.#scheduler.schedule(Promise.resolve("answer"));
    return answer;
  }
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}

async function transfer(remote: Remote, { from, to, amount }: Transfer): Promise<void> {
  for (;;) {
    const [source, target] = await Promise.all([remote.get(noteAt(from)), remote.get(noteAt(to))]);
    const result = await remote.write([
      { ...noteAt(from), expected: revisionOf(source), object: note(String(Number(textOf(source)) - amount)) },
      { ...noteAt(to), expected: revisionOf(target), object: note(String(Number(textOf(target)) + amount)) },
    ]);
    if (result.kind === "written") return;
  }
}

async function audit(remote: Remote, sums: number[]): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const { objects } = await remote.list(notes, {});
    sums.push(objects.reduce((sum, object) => sum + Number(textOf(object)), 0));
  }
}

function expectedBalances(transfers: readonly Transfer[]): Record<string, number> {
  const balances: Record<string, number> = Object.fromEntries(accounts.map((key) => [key, total / accounts.length]));
  for (const { from, to, amount } of transfers) {
    balances[from] = (balances[from] ?? 0) - amount;
    balances[to] = (balances[to] ?? 0) + amount;
  }
  return balances;
}

/** The balances at the end, from the log; every revision on the way adds up, in the log and in its list. */
async function replay(storage: Storage, start: number): Promise<Record<string, number>> {
  const balances = await balancesAt(storage, start);
  let position = storage.log.positionAfter(notes, start) ?? expect.fail("forgotten");
  for (let revision = start + 1; revision <= storage.log.revision; revision++) {
    for (;;) {
      const event = storage.log.at(notes, position);
      if (typeof event !== "object" || event.revision > revision) break;
      expect(event.revision).toBe(revision);
      balances[event.key] = Number(textOf(event.after));
      position++;
    }
    expect(Object.values(balances).reduce((sum, each) => sum + each, 0)).toBe(total);
    expect(await balancesAt(storage, revision)).toEqual(balances);
  }
  return balances;
}

async function balancesAt(storage: Storage, revision: number): Promise<Record<string, number>> {
  const { objects } = await storage.list(notes, { revision });
  return Object.fromEntries(objects.map((object, index) => [accounts[index] ?? "", Number(textOf(object))]));
}
