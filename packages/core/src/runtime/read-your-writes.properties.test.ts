// The gate against a server whose history is known: whatever is written by whom, however late the cache and its events are, a key is
// never ready before the cache has got as far as its last write; and when all has been told, nothing is left.
import { expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import { type corev1, keyOf } from "../api/index.ts";
import { FakeClock, type Random, randomBelow, seededRandom } from "../base/index.ts";
import { type Action, create, patch, remove } from "../contract/index.ts";
import { deletionTimestamp, done, never, pod, readerOf, TestCache } from "./own-writes.fixture.ts";
import { ReadYourWrites } from "./read-your-writes.ts";

interface Stored {
  readonly object: corev1.Pod;
  readonly creator: string;
}

class History {
  readonly cache = new TestCache();
  readonly reader = readerOf([]);
  readonly gate: ReadYourWrites;
  /** By key, how far the history was after its last write. */
  readonly lastWrites = new Map<string, number>();
  readonly #random: Random;
  readonly #stored = new Map<string, Stored>();
  readonly #events: (() => string)[] = [];
  #told: string[] = [];
  #seen = 0;

  constructor(seed: number) {
    this.#random = seededRandom(`own writes ${seed}`);
    this.gate = new ReadYourWrites({ cachesOf: () => [this.cache], reader: this.reader, clock: new FakeClock() });
  }

  get seen(): number {
    return this.#seen;
  }

  async step(): Promise<void> {
    const key = `k${randomBelow(this.#random, 3)}`;
    const dice = this.#random.next();
    if (dice < 0.4) this.#write(this.#random.next() < 0.7 ? key : "somebody else");
    else if (dice < 0.6) this.#advanceCache();
    else if (dice < 0.8) this.#tellEvent();
    else {
      const { isReady } = await this.gate.check(key, never);
      if (isReady) expect(this.#seen).toBeGreaterThanOrEqual(this.lastWrites.get(key) ?? 0);
    }
  }

  catchUp(): void {
    this.#store("last", { object: pod("last"), creator: "somebody else" });
    while (this.#seen < this.#events.length) this.#advanceCache();
    while (this.#told.length > 0) this.#tellEvent();
  }

  /** The cache has it at once, handlers hear of it later. */
  #advanceCache(): void {
    const event = this.#events[this.#seen];
    if (event === undefined) return;
    this.#seen++;
    this.#told.push(event());
  }

  #tellEvent(): void {
    const [objectKey, ...others] = this.#told;
    this.#told = others;
    if (objectKey !== undefined) this.gate.noteChange(pods, objectKey);
  }

  #write(writer: string): void {
    const name = `p${randomBelow(this.#random, 4)}`;
    const stored = this.#stored.get(name);
    if (stored === undefined) this.#create(writer, name);
    else if (this.#random.next() < 0.5) this.#patch(writer, stored);
    else this.#delete(writer, stored);
  }

  #create(writer: string, name: string): void {
    const finalizers = this.#random.next() < 0.5 ? ["x/y"] : [];
    const object = pod(name, { uid: `${name} ${this.#events.length}`, finalizers });
    this.#note(writer, create(pods, object), this.#store(name, { object, creator: writer }));
  }

  #patch(writer: string, { object, creator }: Stored): void {
    const action = patch(pods, keyOf(object), { type: "merge", body: {} });
    const { name = "", deletionTimestamp: isMarked } = object.metadata;
    if (isMarked === undefined) {
      this.#note(writer, action, this.#store(name, { object, creator }));
      return;
    }
    // Takes the last finalizer: the server removes the object, and answers it in the version it had.
    this.#remove(object);
    this.#note(writer, action, { ...object, metadata: { ...object.metadata, finalizers: [] } });
  }

  #delete(writer: string, { object, creator }: Stored): void {
    const { name = "", uid, finalizers = [] } = object.metadata;
    const action = remove(pods, keyOf(object));
    if (object.metadata.deletionTimestamp !== undefined) return;
    if (finalizers.length > 0) {
      const marked = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
      this.#note(writer, action, this.#store(name, { object: marked, creator }));
      return;
    }
    const isKnown = creator === writer || this.cache.getByKey(keyOf(object))?.metadata.uid === uid;
    const removed = this.#remove(object);
    // Of what neither the cache nor the key has met, a Status does not say enough: that is not promised.
    const isStatus = isKnown && this.#random.next() < 0.5;
    this.#note(writer, action, isStatus ? { kind: "Status", details: { uid } } : removed);
  }

  #store(name: string, { object, creator }: Stored): corev1.Pod {
    const next = this.#atNextVersion(object);
    this.#stored.set(name, { object: next, creator });
    this.#events.push(() => {
      this.cache.set(next);
      return keyOf(next);
    });
    return next;
  }

  #remove(object: corev1.Pod): corev1.Pod {
    const { name = "" } = object.metadata;
    const last = this.#atNextVersion(object);
    this.#stored.delete(name);
    this.#events.push(() => {
      this.cache.delete(keyOf(object), last.metadata.resourceVersion ?? "");
      return keyOf(object);
    });
    return last;
  }

  #atNextVersion(object: corev1.Pod): corev1.Pod {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(1000 + this.#events.length) } };
  }

  #note(writer: string, action: Action, value: unknown): void {
    if (writer === "somebody else") return;
    // A watch may be quicker than the answer.
    if (this.#random.next() < 0.2) while (this.#seen < this.#events.length) this.#advanceCache();
    this.gate.note(writer, action, done(value));
    this.lastWrites.set(writer, this.#events.length);
  }
}

test("in five hundred histories no key is ready too early, and nothing is left in the end", async () => {
  for (let seed = 1; seed <= 500; seed++) {
    const history = new History(seed);
    for (let i = 0; i < 80; i++) await history.step();
    history.catchUp();
    const { gate } = history;
    expect({ seed, size: gate.size, links: gate.links, asked: history.reader.asked }).toEqual({
      ...{ seed, size: 0, links: 0, asked: [] },
    });
  }
});
