// Read-your-writes, by key: after a write a key is not observed again until the caches show it. So no controller keeps
// expectations, and none acts on a cache that is older than what it did itself.
//
// Promises
// - A key is ready only when the caches show all its writes at once: objects written, at least in that version; objects deleted, gone
//   or, where the server only marked them, terminating.
// - A write whose answer was lost, and a wait that takes too long, is settled by a consistent live read, never by the cache.
// - What is outside of a cache's selector, created anew, or written by others meanwhile holds nothing up for ever.
// - A write is forgotten when a cache is seen to show it, whether or not the key is ever checked again. A check and a change cost O(1) over time.
// - A key whose object was gone before a cache had it is woken: no event tells of it. A write whose answer was lost stays until the key is
//   checked again, or until the next live read in its namespace.
// Not promised: writes of other keys, other controllers, other processes; and a request that reaches the server only after its
// answer was given up and the live read was made. Preconditions and names are for those.
//
// Why each write may be forgotten by itself, although the key needs all at once: a sighting stays true (see sightings.ts), so writes that
// were sighted one after the other are all sighted at the end. The one case where what is seen comes and goes is an object that
// the key itself created and removed before the cache had it: there the removal waits for the version of the creation (`afterEarlier`).
import type { Resource } from "../api/index.ts";
import { type Clock, type CounterSeries, noMetrics } from "../base/index.ts";
import type { Action, ActionResult, Change } from "../contract/index.ts";
import { type AwaitedWrite, AwaitedWrites } from "./awaited-writes.ts";
import { EchoMemory } from "./echoes.ts";
import { expectedAfter } from "./expected-writes.ts";
import type { LiveReader } from "./live-reader.ts";
import type { ScopedCache } from "./settle-writes.ts";
import { SettlingReads } from "./settling-reads.ts";
import { afterEarlier, type Expected, isSighted, lacksVersion, type RemovedObject } from "./sightings.ts";

export interface ReadYourWritesOptions {
  /** The caches this controller reads a resource from; none for what it does not watch. */
  readonly cachesOf: (resource: Resource) => readonly ScopedCache[];
  /** For settling reads: they stand in for the caches, so the caches' identity may make them rather than the controller's. */
  readonly reader: Pick<LiveReader, "get" | "list">;
  readonly clock: Clock;
  /** How long to wait for a cache before looking at the server; 10 s unless given, doubled each time up to 5 min. */
  readonly settleAfterMs?: number | undefined;
  /** Takes keys whose objects were gone before a cache had them: no change wakes them. */
  readonly onUnseen?: ((keys: readonly string[]) => void) | undefined;
  /** Times a key was put off. */
  readonly skips?: CounterSeries | undefined;
  /** Called when a key is put off, with the resource whose cache does not show a write of it. */
  readonly onSkip?: ((resource: Resource) => void) | undefined;
  /** Counts live reads that were started to settle writes, failed ones included. */
  readonly settlements?: CounterSeries | undefined;
}

/** Ready, or how long to wait before asking again (sooner, if something happens to what it waits for). */
export type Readiness = { readonly isReady: true } | { readonly isReady: false; readonly waitMs: number };

/** What the driver asks; a test may stand in for it. */
export interface WriteGate {
  note(key: string, action: Action, result: ActionResult): void;
  /** Whether the key has writes that must be checked before it is observed again. */
  holds(key: string): boolean;
  check(key: string, signal: AbortSignal): Promise<Readiness>;
  /** Called when a cache has changed: forgets the writes that it shows now. Returns the delayed keys that wait for no other write. */
  noteChange(resource: Resource, objectKey: string): readonly string[];
  /** The key has succeeded: nobody will ask about the echoes of what it wrote so far. */
  forgetEchoes(key: string): void;
  /** Whether a change is only what the key itself has written since it last succeeded; before or after the change was noted. */
  isEcho(key: string, change: Change): boolean;
}

interface Waiting {
  checks: number;
  settlements: number;
  settleAtMs: number;
  /** Writes whose answer was lost. */
  lost: number;
  /** A cache has got past a write of its, and does not have the object: somebody removed it meanwhile. */
  hasUnseen: boolean;
}

const ready: Readiness = { isReady: true };
const none: readonly string[] = [];
const firstRecheckMs = 50;
const longestRecheckMs = 5_000;
const longestSettleMs = 300_000;

export class ReadYourWrites implements WriteGate, Disposable {
  readonly #options: ReadYourWritesOptions;
  readonly #settleAfterMs: number;
  readonly #skips: CounterSeries;
  readonly #awaited = new AwaitedWrites();
  readonly #echoes = new EchoMemory();
  readonly #settling: SettlingReads;
  /** By key, as long as it has awaited writes. */
  readonly #waiting = new Map<string, Waiting>();
  /** Runs while a key waits. */
  #timer: Disposable | undefined;

  constructor(options: ReadYourWritesOptions) {
    const nobody = noMetrics.counter({ name: "", help: "" }).labels({});
    const { reader, clock, settlements = nobody } = options;
    this.#options = options;
    this.#settleAfterMs = options.settleAfterMs ?? 10_000;
    this.#skips = options.skips ?? nobody;
    this.#settling = new SettlingReads({
      reader,
      clock,
      onRead: () => settlements.inc(),
      onSettled: (write, expected) => this.#replace(write, expected),
    });
  }

  /** How many keys wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** How many objects are linked to writes that a change may show. */
  get links(): number {
    return this.#awaited.links;
  }

  /** How many echoes it would recognize. */
  get echoes(): number {
    return this.#echoes.size;
  }

  /** Remembers what has to be seen after this. */
  note(key: string, action: Action, result: ActionResult): void {
    if (!("resource" in action)) return;
    let hasNoted = false;
    for (const cache of this.#options.cachesOf(action.resource)) {
      for (const expected of expectedAfter(action, result, cache)) {
        this.#await(key, expected, cache);
        hasNoted = true;
      }
    }
    const waiting = this.#waiting.get(key);
    if (waiting === undefined || !hasNoted) return;
    waiting.checks = 0;
    waiting.settlements = 0;
    waiting.settleAtMs = this.#options.clock.monotonic() + this.#settleAfterMs;
    this.#startTimer();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  holds(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Throws when the server had to be asked and could not be. */
  async check(key: string, signal: AbortSignal): Promise<Readiness> {
    if (this.#isFree(key)) return ready;
    const waitMs = await this.#settleIfDue(key, signal);
    if (this.#isFree(key)) return ready;
    const waiting = this.#waitingOf(key);
    this.#skips.inc();
    const [first] = this.#awaited.of(key);
    if (first !== undefined) this.#options.onSkip?.(first.expected.resource);
    const recheckMs = Math.min(firstRecheckMs * 2 ** waiting.checks++, longestRecheckMs);
    return { isReady: false, waitMs: Math.max(waitMs, recheckMs) };
  }

  noteChange(resource: Resource, objectKey: string): readonly string[] {
    if (!this.#echoes.isEmpty) this.#echoes.forgetOld(this.#options.clock.monotonic());
    if (this.#waiting.size === 0) return none;
    return this.#drop(this.#awaited.sweepChange(resource, objectKey, this.#options.cachesOf(resource)));
  }

  forgetEchoes(key: string): void {
    this.#echoes.forget(key);
  }

  isEcho(key: string, change: Change): boolean {
    return this.#echoes.has(key, change);
  }

  /** Looks at the caches, as far as needed. */
  #isFree(key: string): boolean {
    this.#drop(this.#awaited.sweepKey(key));
    return !this.#waiting.has(key);
  }

  /** Settles the writes of the key if it is time to. Returns how long to wait, because reads have failed lately; 0 otherwise. */
  async #settleIfDue(key: string, signal: AbortSignal): Promise<number> {
    const waiting = this.#waitingOf(key);
    const isLate = this.#options.clock.monotonic() >= waiting.settleAtMs;
    if (waiting.lost === 0 && !isLate) return 0;
    const open = this.#awaited
      .of(key)
      .filter(({ expected, cache }) => expected.kind === "lost" || (isLate && !isSighted(expected, cache)));
    const waitMs = await this.#settling.settle(open, signal);
    if (waitMs > 0) return waitMs;
    waiting.settlements++;
    const nextMs = Math.min(this.#settleAfterMs * 2 ** waiting.settlements, longestSettleMs);
    waiting.settleAtMs = this.#options.clock.monotonic() + nextMs;
    return 0;
  }

  #startTimer(): void {
    const clock = this.#options.clock.labelled({ kind: "background", name: "own writes that no cache shows" });
    this.#timer ??= clock.after(this.#settleAfterMs, () => {
      this.#timer = undefined;
      this.#wakeUnseen();
      if (this.#waiting.size > 0) this.#startTimer();
    });
  }

  /** A relist or a bookmark takes a cache past a write without any event about its object. */
  #wakeUnseen(): void {
    const unseen = [...this.#waiting.keys()].flatMap((key) => this.#drop(this.#awaited.sweepKey(key)));
    if (unseen.length > 0) this.#options.onUnseen?.(unseen);
  }

  #await(key: string, noted: Expected, cache: ScopedCache): void {
    const expected = lacksVersion(noted) ? afterEarlier(noted, this.#earlier(key, noted, cache)) : noted;
    // A watch may be quicker than the answer.
    if (isSighted(expected, cache)) {
      this.#echoes.writtenAndSighted(key, expected, this.#options.clock.monotonic());
      return;
    }
    this.#echoes.written(key, expected);
    const write = this.#awaited.add(key, expected, cache);
    const waiting = this.#waitingOf(key);
    if (expected.kind !== "lost") return;
    waiting.lost++;
    this.#settling.add(write);
  }

  #earlier(key: string, { resource, key: objectKey }: RemovedObject, cache: ScopedCache): readonly Expected[] {
    const writes = this.#awaited.on(key, resource, objectKey);
    return writes.flatMap((write) => (write.cache === cache ? [write.expected] : []));
  }

  /** A read has answered what to expect instead. */
  #replace(write: AwaitedWrite, expected: readonly Expected[]): void {
    if (expected.length === 1 && expected[0] === write.expected) return;
    for (const each of expected) this.#await(write.key, each, write.cache);
    this.#awaited.forget(write);
    this.#drop([write]);
  }

  /** The keys that were put off, or whose objects are gone, and that have nothing left to wait for. */
  #drop(forgotten: readonly AwaitedWrite[]): readonly string[] {
    const free: string[] = [];
    for (const write of forgotten) {
      const { key, expected } = write;
      this.#echoes.sighted(key, expected, this.#options.clock.monotonic());
      this.#settling.remove(write);
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) continue;
      if (expected.kind === "lost") waiting.lost--;
      // What others wrote and a live read found may lie outside of what the cache holds: it would wake the key for ever.
      const isOwn = expected.kind === "written" && expected.isOwn;
      if (isOwn && write.cache.getByKey(expected.key) === undefined) waiting.hasUnseen = true;
      if (this.#awaited.has(key)) continue;
      this.#waiting.delete(key);
      if (waiting.checks > 0 || waiting.hasUnseen) free.push(key);
    }
    return free;
  }

  #waitingOf(key: string): Waiting {
    const waiting = this.#waiting.get(key) ?? {
      checks: 0,
      settlements: 0,
      settleAtMs: 0,
      lost: 0,
      hasUnseen: false,
    };
    this.#waiting.set(key, waiting);
    return waiting;
  }
}
