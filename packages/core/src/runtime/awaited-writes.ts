// Writes that caches do not show yet. They can be looked up by the key that wrote, by the object and by the cache. Each write is forgotten
// when its cache shows it. When the last write of a key, an object or a cache is forgotten, nothing about that one stays in memory.
//
// Promise: a check costs amortized O(1) for each check and each write. A FIFO of writes is checked from its oldest and stops at the first
// write that its cache does not show. Writes behind that one are checked only after it: they are forgotten later, never too early.
import type { Resource } from "../api/index.ts";
import { resourceId } from "../contract/for-drivers.ts";
import type { ScopedCache } from "./settle-writes.ts";
import { type Expected, isSighted } from "./sightings.ts";

export interface AwaitedWrite {
  /** The key whose reconcile made the write. */
  readonly key: string;
  readonly expected: Expected;
  readonly cache: ScopedCache;
  /** True once the write is forgotten. */
  isOver: boolean;
}

/** Writes in the order they were added. Forgotten writes are skipped at the beginning, and removed when they are most of the list. */
class Line {
  open = 0;
  #writes: AwaitedWrite[] = [];
  #first = 0;

  push(write: AwaitedWrite): void {
    this.#writes.push(write);
    this.open++;
  }

  get first(): AwaitedWrite | undefined {
    while (this.#writes[this.#first]?.isOver === true) this.#first++;
    return this.#writes[this.#first];
  }

  all(): readonly AwaitedWrite[] {
    return this.#writes.filter(({ isOver }) => !isOver);
  }

  /** Called when one of its writes has been forgotten. */
  close(): void {
    this.open--;
    if (this.#writes.length < 32 || this.#writes.length < 4 * this.open) return;
    this.#writes = this.#writes.filter(({ isOver }) => !isOver);
    this.#first = 0;
  }
}

type CacheLines = Readonly<Record<Expected["kind"], Line>>;

export class AwaitedWrites {
  readonly #byKey = new Map<string, Line>();
  readonly #byObject = new Map<string, Line>();
  /** One line for each kind, because a removal that the cache never shows, or a write with a lost answer, must not block the other writes. */
  readonly #byCache = new Map<ScopedCache, CacheLines>();

  /** How many objects are linked to writes. */
  get links(): number {
    return this.#byObject.size;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Returns the writes of the key that the caches did not show at the last check. */
  of(key: string): readonly AwaitedWrite[] {
    return this.#byKey.get(key)?.all() ?? [];
  }

  /** Returns the writes of one key to one object. */
  on(key: string, resource: Resource, objectKey: string): readonly AwaitedWrite[] {
    const line = this.#byObject.get(objectId(resource, objectKey));
    return line?.all().filter((write) => write.key === key) ?? [];
  }

  add(key: string, expected: Expected, cache: ScopedCache): AwaitedWrite {
    const write = { key, expected, cache, isOver: false };
    lineOf(this.#byKey, key).push(write);
    if (isLinked(write)) lineOf(this.#byObject, idOf(write)).push(write);
    this.#linesOf(cache)[expected.kind].push(write);
    return write;
  }

  /** Does nothing if the write is forgotten already. */
  forget(write: AwaitedWrite): void {
    if (write.isOver) return;
    write.isOver = true;
    closeIn(this.#byKey, write.key);
    if (isLinked(write)) closeIn(this.#byObject, idOf(write));
    const lines = this.#linesOf(write.cache);
    lines[write.expected.kind].close();
    if (Object.values(lines).every(({ open }) => open === 0)) this.#byCache.delete(write.cache);
  }

  /** Checks the writes of a key from the oldest, forgets those that the caches show, and returns the forgotten ones. */
  sweepKey(key: string): readonly AwaitedWrite[] {
    return this.#sweep([this.#byKey.get(key)]);
  }

  /**
   * Checks the writes that a change may have made visible: writes to the object, and writes whose version the caches of its resource have
   * reached. Also checks one other cache, each time the next one, because that cache may have no events or may have been stopped. Forgets the
   * writes that are shown, and returns them.
   */
  sweepChange(resource: Resource, objectKey: string, caches: readonly ScopedCache[]): readonly AwaitedWrite[] {
    const lines = [this.#byObject.get(objectId(resource, objectKey))];
    for (const cache of caches) {
      const its = this.#byCache.get(cache);
      lines.push(its?.written, its?.removed);
    }
    return this.#sweep([...lines, ...this.#nextCache()]);
  }

  #nextCache(): readonly Line[] {
    for (const [cache, lines] of this.#byCache) {
      // Moves the cache to the end of the map's order.
      this.#byCache.delete(cache);
      this.#byCache.set(cache, lines);
      return Object.values(lines);
    }
    return [];
  }

  #sweep(lines: readonly (Line | undefined)[]): readonly AwaitedWrite[] {
    const forgotten: AwaitedWrite[] = [];
    for (const line of lines) {
      for (let write = line?.first; write !== undefined && isSeen(write); write = line?.first) {
        this.forget(write);
        forgotten.push(write);
      }
    }
    return forgotten;
  }

  #linesOf(cache: ScopedCache): CacheLines {
    const lines = this.#byCache.get(cache) ?? { written: new Line(), removed: new Line(), lost: new Line() };
    this.#byCache.set(cache, lines);
    return lines;
  }
}

/** Returns whether the write is indexed by its object. A lost write is not: an event for the object does not prove anything about it. */
function isLinked({ expected }: AwaitedWrite): boolean {
  return expected.kind !== "lost";
}

/** A cache whose watch was stopped is not waited for, because the controller no longer reads that cache. */
function isSeen({ cache, expected }: AwaitedWrite): boolean {
  return !cache.isFollowing() || isSighted(expected, cache);
}

function lineOf(lines: Map<string, Line>, id: string): Line {
  const line = lines.get(id) ?? new Line();
  lines.set(id, line);
  return line;
}

function closeIn(lines: Map<string, Line>, id: string): void {
  const line = lines.get(id);
  line?.close();
  if (line?.open === 0) lines.delete(id);
}

function idOf({ expected }: AwaitedWrite): string {
  return objectId(expected.resource, expected.key ?? "");
}

function objectId(resource: Resource, key: string): string {
  return `${resourceId(resource)} ${key}`;
}
