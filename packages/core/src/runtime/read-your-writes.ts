// Read-your-writes, by key: after a write, the key is not observed again until the caches show the write. So controllers do not need
// expectations (as in ControllerExpectations), and no controller acts on a cache that is older than its own writes.
//
// Promises
// - A key is ready only when the caches show all its writes at the same time: a written object in at least that version; a deleted object
//   gone or, where the server only set a deletionTimestamp, terminating.
// - A write whose answer was lost, or that a cache does not show for too long, is settled by a consistent live read, never by the cache.
// - An object that is outside of a cache's selector, created again, or written by others meanwhile does not block the key forever.
// - A write is forgotten when a cache shows it, even if the key is never checked again. A check and a change cost amortized O(1).
// - If an object was removed before a cache had it, no event reports that, so the gate requeues the key itself. A write whose answer was lost
//   is kept until the key is checked again, or until the next live read in its namespace.
// Not promised: seeing the writes of other keys, other controllers or other processes; and requests that reach the server only after the
// client gave up waiting and the live read was made. Use preconditions and deterministic names for those.
//
// Why each write may be forgotten separately, although the key needs all of them at the same time: what a cache has shown once stays true
// (see sightings.ts), so writes that were shown one after the other are all shown at the end. The only exception is an object that the
// key itself created and removed before the cache had it: there, the removal waits for the version of the creation (`afterEarlier`).
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
  /** Returns the caches from which this controller reads a resource; none for a resource that it does not watch. */
  readonly cachesOf: (resource: Resource) => readonly ScopedCache[];
  /** Makes the settling reads. They replace what the caches should show, so they may use the caches' identity instead of the controller's. */
  readonly reader: Pick<LiveReader, "get" | "list">;
  readonly clock: Clock;
  /** How long to wait for a cache before reading from the server; 10 s unless given, doubled each time up to 5 min. */
  readonly settleAfterMs?: number | undefined;
  /** Called with keys whose objects were removed before a cache had them. No event adds these keys, so the callback has to. */
  readonly onUnseen?: ((keys: readonly string[]) => void) | undefined;
  /** Counts how many times a key was delayed. */
  readonly skips?: CounterSeries | undefined;
  /** Called when a key is delayed, with the resource whose cache does not show a write of the key. */
  readonly onSkip?: ((resource: Resource) => void) | undefined;
  /** Counts live reads that were started to settle writes, failed ones included. */
  readonly settlements?: CounterSeries | undefined;
}

/** Ready, or how long to wait before the next check (the driver checks sooner if `noteChange` returns the key). */
export type Readiness = { readonly isReady: true } | { readonly isReady: false; readonly waitMs: number };

/** The part of ReadYourWrites that the driver uses; tests may replace it. */
export interface WriteGate {
  note(key: string, action: Action, result: ActionResult): void;
  /** Returns whether the key has writes that must be checked before it is observed again. */
  holds(key: string): boolean;
  check(key: string, signal: AbortSignal): Promise<Readiness>;
  /** Called when a cache has changed: forgets the writes that it shows now. Returns the delayed keys that wait for no other write. */
  noteChange(resource: Resource, objectKey: string): readonly string[];
  /** Called when the key has succeeded: the echoes of its writes so far are no longer needed. */
  forgetEchoes(key: string): void;
  /** Returns whether a change is only the echo of what the key wrote since it last succeeded. May be called before or after `noteChange`. */
  isEcho(key: string, change: Change): boolean;
}

interface Waiting {
  checks: number;
  settlements: number;
  settleAtMs: number;
  /** The number of writes whose answer was lost. */
  lost: number;
  /** A cache has passed the version of one of the key's writes and does not have the object: somebody removed the object meanwhile. */
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
  /** By key, while the key has awaited writes. */
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

  /** How many keys have awaited writes. */
  get size(): number {
    return this.#waiting.size;
  }

  /** How many objects are linked to awaited writes that a change may make visible. */
  get links(): number {
    return this.#awaited.links;
  }

  /** How many echoes are remembered. */
  get echoes(): number {
    return this.#echoes.size;
  }

  /** Remembers what the caches have to show after this action. */
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

  /** Throws if a live read was necessary and failed. */
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

  /** Checks the caches, as far as needed. Returns whether the key has no awaited writes left. */
  #isFree(key: string): boolean {
    this.#drop(this.#awaited.sweepKey(key));
    return !this.#waiting.has(key);
  }

  /** Settles the writes of the key if that is due. Returns how long to wait if recent reads have failed; 0 otherwise. */
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

  /** A relist or a bookmark may move a cache past the version of a write without an event for the object, so a timer checks all waiting keys. */
  #wakeUnseen(): void {
    const unseen = [...this.#waiting.keys()].flatMap((key) => this.#drop(this.#awaited.sweepKey(key)));
    if (unseen.length > 0) this.#options.onUnseen?.(unseen);
  }

  #await(key: string, noted: Expected, cache: ScopedCache): void {
    const expected = lacksVersion(noted) ? afterEarlier(noted, this.#earlier(key, noted, cache)) : noted;
    // The watch event may arrive before the answer to the write.
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

  /** Called when a live read has found what to expect instead of the write. */
  #replace(write: AwaitedWrite, expected: readonly Expected[]): void {
    if (expected.length === 1 && expected[0] === write.expected) return;
    for (const each of expected) this.#await(write.key, each, write.cache);
    this.#awaited.forget(write);
    this.#drop([write]);
  }

  /** Returns the keys that have no other awaited write, if they were delayed or one of their objects was removed before a cache had it. */
  #drop(forgotten: readonly AwaitedWrite[]): readonly string[] {
    const free: string[] = [];
    for (const write of forgotten) {
      const { key, expected } = write;
      this.#echoes.sighted(key, expected, this.#options.clock.monotonic());
      this.#settling.remove(write);
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) continue;
      if (expected.kind === "lost") waiting.lost--;
      // Only for own writes: an object that others wrote and a live read found may be outside of the cache's scope, and would requeue the key
      // forever.
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
