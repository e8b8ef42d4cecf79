// Whatever happens, nothing is lost: a source whose objects come and go, a watch on it that breaks and is followed by a new
// list, resyncs, and a consumer that works at any moment, also while more comes in. The model is the source itself, a map.
//
// What a handler sees of one object is a subsequence of that object's states, in order, each with the one before it; at the
// end it knows, and the store holds, exactly what the source has.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Notification } from "../handler/handlers.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { type Deleted, isFinalStateUnknown, lastStateOf } from "../tombstone.ts";
import { applyDeltas } from "./apply-deltas.ts";
import { type Item, item, keyOfItem, printObject } from "./items.fixture.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { Batch, BatchQueue } from "./queue.ts";

const names = ["a", "b", "c", "d"] as const;
type Name = (typeof names)[number];

/** What the source does, the reflector hears, or the consumer gets round to. */
type Happening =
  | { readonly at: "write" | "delete"; readonly name: Name }
  | { readonly at: "cut" | "relist" | "resync" | "bookmark" | "take" | "finish" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at: fc.constant("write" as const), name: fc.constantFrom(...names) }) },
  { weight: 3, arbitrary: fc.record({ at: fc.constant("delete" as const), name: fc.constantFrom(...names) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      at: fc.constantFrom("cut" as const, "relist", "resync", "bookmark", "take", "take", "finish", "finish"),
    }),
  },
);

export type OpenQueue = (store: KnownObjects<Item>) => BatchQueue<Item>;

export function testNothingIsLost(kind: string, open: OpenQueue): void {
  test(`nothing is lost and all is in order with ${kind}`, () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const run = new Run(open);
        for (const each of happenings) run.let(each);
        run.settle();
      }),
      { numRuns: 200 },
    );
  });
}

class Run {
  readonly #source = new Map<string, Item>();
  readonly #store = new IndexedStore<Item>({ keyOf: keyOfItem, freeze: true });
  readonly #queue: BatchQueue<Item>;
  readonly #handler = new HandlerView();
  #version = 0;
  #isConnected = true;
  #inHand: Batch<Item> | undefined;

  constructor(open: OpenQueue) {
    this.#queue = open(this.#store);
    this.#relist();
  }

  let(happening: Happening): void {
    if (happening.at === "write") this.#write(happening.name);
    else if (happening.at === "delete") this.#delete(happening.name);
    else if (happening.at === "cut") this.#isConnected = false;
    else if (happening.at === "relist") this.#relist();
    else if (happening.at === "resync") this.#queue.resync();
    else if (happening.at === "bookmark") this.#bookmark();
    else if (happening.at === "take") this.#inHand ??= this.#queue.take();
    else this.#finish();
  }

  settle(): void {
    if (!this.#isConnected) this.#relist();
    this.#finish();
    while (this.#queue.size > 0) {
      this.#inHand = this.#queue.take();
      this.#finish();
    }
    expect(this.#queue.hasSynced()).toBe(true);
    const expected = [...this.#source.values()].map(printObject).sort();
    expect(this.#store.list().map(printObject).sort()).toEqual(expected);
    expect(this.#handler.objects().map(printObject).sort()).toEqual(expected);
  }

  #write(name: Name): void {
    const isNew = !this.#source.has(name);
    const object = item(name, ++this.#version);
    this.#source.set(name, object);
    if (!this.#isConnected) return;
    if (isNew) this.#queue.add(object);
    else this.#queue.update(object);
  }

  #delete(name: Name): void {
    if (!this.#source.delete(name)) return;
    const last = item(name, ++this.#version);
    if (this.#isConnected) this.#queue.delete(last);
  }

  #relist(): void {
    this.#isConnected = true;
    this.#queue.replace([...this.#source.values()], String(this.#version));
  }

  #bookmark(): void {
    if (this.#isConnected) this.#queue.bookmark?.(String(this.#version));
  }

  #finish(): void {
    const batch = this.#inHand;
    if (batch === undefined) return;
    this.#inHand = undefined;
    const fail = (error: Error) => {
      throw error;
    };
    applyDeltas(batch, { store: this.#store, notify: (each) => this.#handler.hear(each), onError: fail });
    this.#queue.done(batch);
  }
}

/** What a handler knows, checked with each thing it hears. */
class HandlerView {
  readonly #objects = new Map<string, Item>();
  readonly #newest = new Map<string, number>();

  objects(): Item[] {
    return [...this.#objects.values()];
  }

  hear(notification: Notification<Item>): void {
    if (notification.type === "add") {
      expect(this.#objects.has(keyOfItem(notification.object))).toBe(false);
      this.#see(notification.object);
    } else if (notification.type === "update") {
      expect(this.#objects.get(keyOfItem(notification.after))).toBe(notification.before);
      this.#see(notification.after);
    } else {
      this.#forget(notification.gone);
    }
  }

  #forget(gone: Deleted<Item>): void {
    const key = isFinalStateUnknown(gone) ? gone.key : keyOfItem(gone);
    expect(this.#objects.delete(key)).toBe(true);
    expect(lastStateOf(gone)?.value).toBeGreaterThanOrEqual(this.#newest.get(key) ?? 0);
  }

  #see(object: Item): void {
    const key = keyOfItem(object);
    expect(object.value).toBeGreaterThanOrEqual(this.#newest.get(key) ?? 0);
    this.#newest.set(key, object.value);
    this.#objects.set(key, object);
  }
}
