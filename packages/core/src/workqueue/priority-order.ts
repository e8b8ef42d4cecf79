// Orders waiting keys by priority, with two protections against starvation:
//
// - Ageing: a key that has waited longer than `agingMs` comes before every key that has not, whatever its priority; among aged
//   keys the oldest is first. So no key waits for ever, however many keys with a higher priority arrive.
// - Fairness between groups (for example namespaces): within a priority level, groups take turns, so that the ten thousand
//   keys of one group do not delay the single key of another. `maxPerGroup` limits how many keys of one group workers have at
//   once; the other keys of that group wait, and keys of other groups do not.
//
// Within a level and group: first in, first out. A key that is added again keeps its age and the higher of its
// priorities; if that raises it to another level, it goes to the end of its group there.
import { RingBuffer } from "../base/index.ts";
import type { QueueKey, ReadyOrder } from "./ready-order.ts";

export interface PriorityOrderOptions<K extends QueueKey> {
  /** A key that has waited longer than this comes before all younger keys. Default: 60 s. */
  readonly agingMs?: number;
  /** Returns the group of a key, for fairness. Default: all keys are one group. */
  readonly groupOf?: ((key: K) => string) | undefined;
  /** How many keys of one group workers may have at once. Default: no limit. */
  readonly maxPerGroup?: number | undefined;
}

/** One waiting key. There is one record per key; the lists below share it. */
interface Waiting<K> {
  readonly key: K;
  readonly group: string;
  readonly sinceMs: number;
  priority: number;
  isTaken: boolean;
}

/**
 * One priority level: the groups in round-robin order, each with its keys. Stale records, whose key was taken or raised to
 * another level, are skipped when they are reached.
 */
class Level<K> {
  readonly priority: number;
  readonly #lines = new Map<string, RingBuffer<Waiting<K>>>();
  readonly #turns = new RingBuffer<string>();
  /** Groups that were at their limit when their turn came; and those of them that are below their limit again and go first. */
  readonly #atLimit = new Set<string>();
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

  /** Returns the first key of the group whose turn it is, and ends its turn. A group at its limit goes first once it is below it again. */
  take(isBelowLimit: (group: string) => boolean): Waiting<K> | undefined {
    for (let group = this.#nextTurn(); group !== undefined; group = this.#nextTurn()) {
      const line = this.#withoutStaleHead(group);
      if (line === undefined) continue;
      if (isBelowLimit(group)) {
        const taken = line.shift();
        if (this.#withoutStaleHead(group) !== undefined) this.#turns.push(group);
        return taken;
      }
      this.#atLimit.add(group);
    }
    return undefined;
  }

  /** Marks the group as below its limit again. */
  release(group: string): void {
    if (this.#atLimit.delete(group)) this.#first.push(group);
  }

  #nextTurn(): string | undefined {
    return this.#first.shift() ?? this.#turns.shift();
  }

  /** Returns the group's keys without stale records at the head. Returns undefined, and drops the group, if no key is left. */
  #withoutStaleHead(group: string): RingBuffer<Waiting<K>> | undefined {
    const line = this.#lines.get(group);
    if (line === undefined) return undefined;
    for (let first = line.peek(); first !== undefined; first = line.peek()) {
      if (!first.isTaken && first.priority === this.priority) return line;
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
  /** All waiting keys, in the order they were added. */
  readonly #entries = new Map<K, Waiting<K>>();
  /** Highest priority first. */
  #levels: Level<K>[] = [];
  /** How many records became stale since the levels were last rebuilt: their key has left the level, which may still hold them. */
  #staleRecords = 0;
  /** Oldest first, including records of keys that were taken. Aged keys whose group is at its limit move to #agedAtLimit. */
  #byAge = new RingBuffer<Waiting<K>>();
  /** Aged keys whose group is at its limit; and those of them whose group is below its limit again. */
  readonly #agedAtLimit = new Map<string, RingBuffer<Waiting<K>>>();
  readonly #freed = new RingBuffer<Waiting<K>>();
  readonly #inFlight = new Map<string, number>();

  constructor(options: PriorityOrderOptions<K> = {}) {
    this.#agingMs = options.agingMs ?? 60_000;
    this.#groupOf = options.groupOf ?? (() => "");
    this.#maxPerGroup = options.maxPerGroup ?? Number.POSITIVE_INFINITY;
  }

  get size(): number {
    return this.#entries.size;
  }

  push(key: K, priority: number, nowMs: number): void {
    const entry: Waiting<K> = { key, group: this.#groupOf(key), sinceMs: nowMs, priority, isTaken: false };
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
    entry.isTaken = true;
    this.#entries.delete(entry.key);
    if (this.#isCapped) this.#inFlight.set(entry.group, this.#inFlightOf(entry.group) + 1);
    return entry.key;
  }

  release(key: K): void {
    if (!this.#isCapped) return;
    const group = this.#groupOf(key);
    const left = this.#inFlightOf(group) - 1;
    if (left > 0) this.#inFlight.set(group, left);
    else this.#inFlight.delete(group);
    const held = this.#agedAtLimit.get(group);
    const first = held?.shift();
    if (first !== undefined) this.#freed.push(first);
    if (held?.size === 0) this.#agedAtLimit.delete(group);
    for (const level of this.#levels) level.release(group);
  }

  /** Returns the oldest aged key whose group is below its limit. */
  #popAged(nowMs: number): Waiting<K> | undefined {
    for (let entry = this.#nextAged(nowMs); entry !== undefined; entry = this.#nextAged(nowMs)) {
      if (entry.isTaken) continue;
      if (this.#isBelowLimit(entry.group)) {
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
    if (oldest === undefined || (!oldest.isTaken && nowMs - oldest.sinceMs <= this.#agingMs)) return undefined;
    return this.#byAge.shift();
  }

  #hold(entry: Waiting<K>): void {
    const held = this.#agedAtLimit.get(entry.group) ?? new RingBuffer<Waiting<K>>();
    held.push(entry);
    this.#agedAtLimit.set(entry.group, held);
  }

  #popUrgent(): Waiting<K> | undefined {
    for (let i = 0; i < this.#levels.length; ) {
      const level = this.#levels[i] as Level<K>;
      const entry = level.take((group) => this.#isBelowLimit(group));
      if (level.isEmpty) this.#levels.splice(i, 1);
      else i++;
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  get #isCapped(): boolean {
    return this.#maxPerGroup !== Number.POSITIVE_INFINITY;
  }

  #inFlightOf(group: string): number {
    return this.#inFlight.get(group) ?? 0;
  }

  #isBelowLimit(group: string): boolean {
    return !this.#isCapped || this.#inFlightOf(group) < this.#maxPerGroup;
  }

  // Stale records are skipped when they reach the head of their list. Behind a head that does not move they would accumulate,
  // so the levels are rebuilt before there are more than 64 stale records beyond the number of waiting keys.
  #countStray(): void {
    if (++this.#staleRecords <= this.#entries.size + 64) return;
    this.#staleRecords = 0;
    this.#levels = [];
    for (const entry of this.#entries.values()) this.#levelOf(entry.priority).push(entry);
  }

  // There are few levels: one for each priority in use at this moment.
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

const isWaiting = (entry: { readonly isTaken: boolean }) => !entry.isTaken;

function ringOf<T>(items: Iterable<T>, isKept: (item: T) => boolean): RingBuffer<T> {
  const ring = new RingBuffer<T>();
  for (const item of items) if (isKept(item)) ring.push(item);
  return ring;
}
