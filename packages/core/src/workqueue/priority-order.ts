// Waiting keys by priority, with two guards against unfairness:
//
// - Ageing: a key that has waited longer than `agingMs` comes before everything younger, whatever its priority; among such
//   keys the oldest is first. However many urgent keys arrive, none waits for ever.
// - Fairness between groups (for example namespaces): within a level, groups take turns, so that one group's ten thousand
//   keys do not stand in front of another's single one. A cap bounds how many of a group's keys are out at once; the rest
//   of that group waits, and nobody else does.
//
// Within a level and group: first in, first out. A key added again keeps its place in time and the higher of its priorities.
import { RingBuffer } from "../base/index.ts";
import type { QueueKey, ReadyOrder } from "./ready-order.ts";

export interface PriorityOrderOptions<K extends QueueKey> {
  /** After which a waiting key comes before all younger ones; 60 s unless given. */
  readonly agingMs?: number;
  /** Which keys share turns; all are one group unless given. */
  readonly groupOf?: ((key: K) => string) | undefined;
  /** How many keys of a group may be out at once; not limited unless given. */
  readonly maxPerGroup?: number | undefined;
}

/** One key that waits. There is one record of it, however often it is met. */
interface Waiting<K> {
  readonly key: K;
  readonly group: string;
  readonly sinceMs: number;
  priority: number;
  isGone: boolean;
}

/** One level: groups in the order of their turns, each with its keys. What has left or risen is passed over when met. */
class Level<K> {
  readonly priority: number;
  readonly #lines = new Map<string, RingBuffer<Waiting<K>>>();
  readonly #turns = new RingBuffer<string>();
  /** At their cap when it was their turn; and those of them that have got room since, whose turn it still is. */
  readonly #passed = new Set<string>();
  readonly #first = new RingBuffer<string>();

  constructor(priority: number) {
    this.priority = priority;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  push(entry: Waiting<K>): void {
    let line = this.#lines.get(entry.group);
    if (line === undefined) {
      line = new RingBuffer();
      this.#lines.set(entry.group, line);
      this.#turns.push(entry.group);
    }
    line.push(entry);
  }

  /** The first of the group whose turn it is; its turn ends. Groups that may not go are first when they have room again. */
  take(mayGo: (group: string) => boolean): Waiting<K> | undefined {
    for (let group = this.#nextTurn(); group !== undefined; group = this.#nextTurn()) {
      const line = this.#living(group);
      if (line === undefined) continue;
      if (mayGo(group)) {
        const taken = line.shift();
        if (this.#living(group) !== undefined) this.#turns.push(group);
        return taken;
      }
      this.#passed.add(group);
    }
    return undefined;
  }

  /** The group has room again. */
  release(group: string): void {
    if (this.#passed.delete(group)) this.#first.push(group);
  }

  #nextTurn(): string | undefined {
    return this.#first.shift() ?? this.#turns.shift();
  }

  /** The group's line without those at its head that have gone; undefined, and forgotten, when that is all. */
  #living(group: string): RingBuffer<Waiting<K>> | undefined {
    const line = this.#lines.get(group);
    if (line === undefined) return undefined;
    for (let first = line.peek(); first !== undefined; first = line.peek()) {
      if (!first.isGone && first.priority === this.priority) return line;
      line.shift();
    }
    this.#lines.delete(group);
    return undefined;
  }
}

export class PriorityOrder<K extends QueueKey> implements ReadyOrder<K> {
  readonly needsTime = true;
  readonly #agingMs: number;
  readonly #groupOf: (key: K) => string;
  readonly #maxPerGroup: number;
  /** All that wait, in the order they came. */
  readonly #entries = new Map<K, Waiting<K>>();
  /** Highest priority first. */
  #levels: Level<K>[] = [];
  /** Records that a level still holds although they have left it. */
  #strays = 0;
  /** Oldest first, strays among them. */
  #byAge = new RingBuffer<Waiting<K>>();
  /** Too old to wait, but their group is at its cap; and those of them whose group has got room since. */
  readonly #held = new Map<string, RingBuffer<Waiting<K>>>();
  readonly #freed = new RingBuffer<Waiting<K>>();
  readonly #out = new Map<string, number>();

  constructor(options: PriorityOrderOptions<K> = {}) {
    this.#agingMs = options.agingMs ?? 60_000;
    this.#groupOf = options.groupOf ?? (() => "");
    this.#maxPerGroup = options.maxPerGroup ?? Number.POSITIVE_INFINITY;
  }

  get size(): number {
    return this.#entries.size;
  }

  push(key: K, priority: number, nowMs: number): void {
    const entry: Waiting<K> = { key, group: this.#groupOf(key), sinceMs: nowMs, priority, isGone: false };
    this.#entries.set(key, entry);
    this.#levelOf(priority).push(entry);
    if (this.#byAge.size > 2 * this.#entries.size + 64) this.#byAge = ringOf(this.#byAge, isWaiting);
    this.#byAge.push(entry);
  }

  raise(key: K, priority: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || priority <= entry.priority) return;
    entry.priority = priority;
    this.#levelOf(priority).push(entry);
    this.#countStray();
  }

  pop(nowMs: number): K | undefined {
    const entry = this.#popAged(nowMs) ?? this.#popUrgent();
    if (entry === undefined) return undefined;
    entry.isGone = true;
    this.#entries.delete(entry.key);
    if (this.#isCapped) this.#out.set(entry.group, this.#countOut(entry.group) + 1);
    return entry.key;
  }

  release(key: K): void {
    if (!this.#isCapped) return;
    const group = this.#groupOf(key);
    const left = this.#countOut(group) - 1;
    if (left > 0) this.#out.set(group, left);
    else this.#out.delete(group);
    const held = this.#held.get(group);
    const first = held?.shift();
    if (first !== undefined) this.#freed.push(first);
    if (held?.size === 0) this.#held.delete(group);
    for (const level of this.#levels) level.release(group);
  }

  /** The oldest that has waited too long and whose group has room. */
  #popAged(nowMs: number): Waiting<K> | undefined {
    for (let entry = this.#nextAged(nowMs); entry !== undefined; entry = this.#nextAged(nowMs)) {
      if (entry.isGone) continue;
      if (this.#mayGo(entry.group)) {
        this.#countStray();
        return entry;
      }
      this.#hold(entry);
    }
    return undefined;
  }

  #nextAged(nowMs: number): Waiting<K> | undefined {
    if (this.#freed.size > 0) return this.#freed.shift();
    const oldest = this.#byAge.peek();
    if (oldest === undefined || (!oldest.isGone && nowMs - oldest.sinceMs <= this.#agingMs)) return undefined;
    return this.#byAge.shift();
  }

  #hold(entry: Waiting<K>): void {
    const held = this.#held.get(entry.group) ?? new RingBuffer<Waiting<K>>();
    held.push(entry);
    this.#held.set(entry.group, held);
  }

  #popUrgent(): Waiting<K> | undefined {
    for (let i = 0; i < this.#levels.length; ) {
      const level = this.#levels[i] as Level<K>;
      const entry = level.take((group) => this.#mayGo(group));
      if (level.isEmpty) this.#levels.splice(i, 1);
      else i++;
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  get #isCapped(): boolean {
    return this.#maxPerGroup !== Number.POSITIVE_INFINITY;
  }

  #countOut(group: string): number {
    return this.#out.get(group) ?? 0;
  }

  #mayGo(group: string): boolean {
    return !this.#isCapped || this.#countOut(group) < this.#maxPerGroup;
  }

  // Strays are passed over when they come to the head of their line. Behind a head that does not move they would pile up:
  // before they are more than what waits, the levels are made anew.
  #countStray(): void {
    if (++this.#strays <= this.#entries.size + 64) return;
    this.#strays = 0;
    this.#levels = [];
    for (const entry of this.#entries.values()) this.#levelOf(entry.priority).push(entry);
  }

  // Levels are few: the priorities that are in use at this moment.
  #levelOf(priority: number): Level<K> {
    let at = 0;
    while (at < this.#levels.length && (this.#levels[at] as Level<K>).priority > priority) at++;
    const found = this.#levels[at];
    if (found?.priority === priority) return found;
    const level = new Level<K>(priority);
    this.#levels.splice(at, 0, level);
    return level;
  }
}

const isWaiting = (entry: { readonly isGone: boolean }) => !entry.isGone;

function ringOf<T>(items: Iterable<T>, isKept: (item: T) => boolean): RingBuffer<T> {
  const ring = new RingBuffer<T>();
  for (const item of items) if (isKept(item)) ring.push(item);
  return ring;
}
