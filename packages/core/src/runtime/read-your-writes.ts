// Read-your-writes, by key: after a write a key is not observed again until the caches show it. So no controller keeps
// expectations, and none acts on a cache that is older than what it did itself.
//
// Promises
// - A key is ready when the caches show all its writes at once: objects written, at least in that version; objects deleted, gone
//   or terminating.
// - A write whose answer was lost, and a wait that takes too long, is settled by a consistent live read, never by the cache.
// - Whatever is outside of a cache's selector, made anew, or written by others meanwhile holds nothing up for ever.
// Not promised: writes of other keys, other controllers, other processes; and a request that reaches the server only after its
// answer was given up and the live read was made. Preconditions and names are for those.

import { keyOf, type Resource } from "../api/index.ts";
import { type Clock, type CounterSeries, noMetrics } from "../base/index.ts";
import { resourceId } from "../contract/for-drivers.ts";
import type { Action, ActionResult, Change } from "../contract/index.ts";
import type { LiveReader } from "./live-reader.ts";
import { type ScopedCache, settleWrite } from "./settle-writes.ts";
import { type Expected, expectedAfter, isSighted } from "./sightings.ts";

export interface ReadYourWritesOptions {
  /** The caches this controller reads a resource from; none for what it does not watch. */
  readonly cachesOf: (resource: Resource) => readonly ScopedCache[];
  readonly reader: Pick<LiveReader, "get" | "list">;
  readonly clock: Clock;
  /** How long to wait for a cache before looking at the server; 10 s unless given, doubled each time up to 5 min. */
  readonly settleAfterMs?: number | undefined;
  /** Times a key was put off. */
  readonly skips?: CounterSeries | undefined;
  /** Live reads that settled something. */
  readonly settlements?: CounterSeries | undefined;
}

/** Ready, or how long to wait before asking again (sooner, if something happens to what it waits for). */
export type Readiness = { readonly isReady: true } | { readonly isReady: false; readonly waitMs: number };

/** What the driver asks; a test may stand in for it. */
export interface WriteGate {
  note(key: string, action: Action, result: ActionResult): void;
  /** Whether the key has writes that must be checked before it is looked at again. */
  holds(key: string): boolean;
  check(key: string, signal: AbortSignal): Promise<Readiness>;
  /** Keys that were put off until this object is seen. */
  waitingFor(resource: Resource, objectKey: string): readonly string[];
  /** Whether a change is only what the key itself has written. */
  isEcho(key: string, change: Change): boolean;
}

interface Awaited {
  readonly expected: Expected;
  readonly cache: ScopedCache;
}

interface Waiting {
  awaited: Awaited[];
  checks: number;
  settlements: number;
  settleAtMs: number;
}

const ready: Readiness = { isReady: true };
const firstRecheckMs = 50;
const longestRecheckMs = 5_000;
const longestSettleMs = 300_000;

export class ReadYourWrites implements WriteGate {
  readonly #options: ReadYourWritesOptions;
  readonly #settleAfterMs: number;
  readonly #skips: CounterSeries;
  readonly #settlements: CounterSeries;
  readonly #byKey = new Map<string, Waiting>();
  /** By resource and object, which keys wait for it. */
  readonly #keysByObject = new Map<string, Set<string>>();

  constructor(options: ReadYourWritesOptions) {
    const nobody = noMetrics.counter({ name: "", help: "" }).labels({});
    this.#options = options;
    this.#settleAfterMs = options.settleAfterMs ?? 10_000;
    this.#skips = options.skips ?? nobody;
    this.#settlements = options.settlements ?? nobody;
  }

  /** How many keys wait. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Remembers what has to be seen after this. */
  note(key: string, action: Action, result: ActionResult): void {
    if (!("resource" in action)) return;
    const awaited = this.#options
      .cachesOf(action.resource)
      .flatMap((cache) => expectedAfter(action, result, cache).map((expected) => ({ expected, cache })));
    if (awaited.length === 0) return;
    const waiting = this.#byKey.get(key) ?? { awaited: [], checks: 0, settlements: 0, settleAtMs: 0 };
    waiting.awaited.push(...awaited);
    waiting.checks = 0;
    waiting.settlements = 0;
    waiting.settleAtMs = this.#options.clock.monotonic() + this.#settleAfterMs;
    this.#byKey.set(key, waiting);
    this.#link(key, awaited);
  }

  holds(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Throws when the server had to be asked and could not be. */
  async check(key: string, signal: AbortSignal): Promise<Readiness> {
    const waiting = this.#byKey.get(key);
    if (waiting === undefined) return ready;
    waiting.awaited = waiting.awaited.filter(({ cache }) => cache.isFollowing());
    const isLost = waiting.awaited.some(({ expected }) => expected.kind === "lost");
    if (!isLost && this.#letGoIfSighted(key, waiting)) return ready;
    const isLate = this.#options.clock.monotonic() >= waiting.settleAtMs;
    if (isLost || isLate) {
      await this.#settle(key, waiting, isLate, signal);
      if (this.#letGoIfSighted(key, waiting)) return ready;
    }
    this.#skips.inc();
    return { isReady: false, waitMs: Math.min(firstRecheckMs * 2 ** waiting.checks++, longestRecheckMs) };
  }

  waitingFor(resource: Resource, objectKey: string): readonly string[] {
    const keys = this.#keysByObject.get(`${resourceId(resource)} ${objectKey}`);
    // One that nobody has asked for meanwhile has no reason to be looked at: it only wrote.
    return keys === undefined ? [] : [...keys].filter((key) => (this.#byKey.get(key)?.checks ?? 0) > 0);
  }

  isEcho(key: string, { resource, object }: Change): boolean {
    const { resourceVersion, uid } = object.metadata;
    const id = `${resourceId(resource)} ${keyOf(object)}`;
    const awaited = this.#byKey.get(key)?.awaited ?? [];
    return awaited.some(({ expected }) => {
      if (objectId(expected) !== id) return false;
      if (expected.kind === "removed") return expected.uid === uid;
      return expected.kind === "written" && expected.version === resourceVersion;
    });
  }

  /** All at once: what was seen of one write may have come and gone before another's. */
  #letGoIfSighted(key: string, { awaited }: Waiting): boolean {
    if (!awaited.every(({ expected, cache }) => isSighted(expected, cache))) return false;
    this.#byKey.delete(key);
    this.#unlink(key, awaited);
    return true;
  }

  async #settle(key: string, waiting: Waiting, isLate: boolean, signal: AbortSignal): Promise<void> {
    const settled = await Promise.all(
      waiting.awaited.map(async (each): Promise<readonly Awaited[]> => {
        const { expected, cache } = each;
        const isOpen = expected.kind === "lost" || (isLate && !isSighted(expected, cache));
        if (!isOpen) return [each];
        this.#settlements.inc();
        const found = await settleWrite(expected, cache, this.#options.reader, signal);
        return found.map((expectedNow) => ({ expected: expectedNow, cache }));
      }),
    );
    waiting.settlements++;
    const waitMs = Math.min(this.#settleAfterMs * 2 ** waiting.settlements, longestSettleMs);
    waiting.settleAtMs = this.#options.clock.monotonic() + waitMs;
    this.#unlink(key, waiting.awaited);
    waiting.awaited = settled.flat();
    this.#link(key, waiting.awaited);
  }

  #link(key: string, awaited: readonly Awaited[]): void {
    for (const { expected } of awaited) {
      if (expected.key === undefined) continue;
      const id = objectId(expected);
      const keys = this.#keysByObject.get(id) ?? new Set<string>();
      keys.add(key);
      this.#keysByObject.set(id, keys);
    }
  }

  #unlink(key: string, awaited: readonly Awaited[]): void {
    for (const { expected } of awaited) {
      const keys = this.#keysByObject.get(objectId(expected));
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByObject.delete(objectId(expected));
    }
  }
}

function objectId({ resource, key = "" }: Expected): string {
  return `${resourceId(resource)} ${key}`;
}
