// A queue in which each object waits once, as it was last seen, in the order of its first coming. For whoever wants to look
// at every object exactly once, at its newest, and not at all at those deleted meanwhile. The queue of informers keeps what
// happened instead of what is: see DeltaFIFO.
//
// An object is out of the queue before it is worked on. Work that throws does not put it back, unless what it throws is a
// RequeueError.
import { ConditionVariable } from "../../base/condition-variable.ts";
import { RingBuffer } from "../../base/index.ts";
import { RequeueError } from "../requeue-error.ts";
import { QueueClosedError } from "../store/queue-closed-error.ts";
import type { KeyFunction, Store } from "../store/store.ts";
import { resourceVersionOf, StoreResourceVersion } from "../store/store-resource-version.ts";
import { keyFor } from "../store/write-rules.ts";
import { SyncGate } from "../wait/sync-gate.ts";
import type { Queue } from "./queue.ts";

/** `isInInitialList`: the queue has not synced yet. */
export type PopProcess<T> = (object: T, isInInitialList: boolean) => void | Promise<void>;

export class FIFO<T> implements Store<T>, Queue<T, T> {
  readonly #keyOf: KeyFunction<T>;
  readonly #objects = new Map<string, T>();
  /** Keys in their order. One that has been deleted is still here, and passed over when its turn comes. */
  readonly #line = new RingBuffer<string>();
  readonly #inLine = new Set<string>();
  readonly #arrivals = new ConditionVariable();
  readonly #version = new StoreResourceVersion();
  /** Keys of the first list that are not worked off; undefined before anything came. */
  #initial: Set<string> | undefined;
  readonly #synced = new SyncGate();
  #isClosed = false;

  constructor(keyOf: KeyFunction<T>) {
    this.#keyOf = (object) => keyFor(object, { keyOf });
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string {
    return this.#version.current;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The first list has been worked off; or something else came before any list. */
  hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Called once, when `hasSynced` turns true; at once if it has. */
  onSynced(callback: () => void): Disposable {
    return this.#synced.onOpen(callback);
  }

  add(object: T): void {
    const key = this.#keyOf(object);
    this.#initial ??= new Set();
    this.#put(key, object);
    this.#version.advance(resourceVersionOf(object));
    this.#arrivals.notifyAll();
    this.#look();
  }

  /** For what is put back: something newer with the same key stays. */
  addIfNotPresent(object: T): void {
    if (!this.#objects.has(this.#keyOf(object))) this.add(object);
  }

  update(object: T): void {
    this.add(object);
  }

  delete(object: T): void {
    const key = this.#keyOf(object);
    this.#initial ??= new Set();
    this.#objects.delete(key);
    this.#initial.delete(key);
    this.#version.advance(resourceVersionOf(object));
    this.#look();
  }

  /** Exactly these wait from now on, in this order. Throws a KeyError, and has changed nothing then. */
  replace(objects: readonly T[], resourceVersion: string): void {
    const byKey = new Map(objects.map((object) => [this.#keyOf(object), object]));
    this.#initial = keysLeft(this.#initial, byKey);
    this.#objects.clear();
    this.#line.clear();
    this.#inLine.clear();
    for (const [key, object] of byKey) this.#put(key, object);
    this.#version.set(resourceVersion);
    if (byKey.size > 0) this.#arrivals.notifyAll();
    this.#look();
  }

  /** Everything here waits already. */
  resync(): void {}

  bookmark(resourceVersion: string): void {
    this.#version.advance(resourceVersion);
  }

  get(object: T): T | undefined {
    return this.#objects.get(this.#keyOf(object));
  }

  getByKey(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  listKeys(): string[] {
    return [...this.#objects.keys()];
  }

  /**
   * Takes the first object out and lets `work` work on it; waits for one. Rejects with what `work` threw, with the cause of a
   * RequeueError if it has one, with a QueueClosedError once closed and empty, or with the signal's reason.
   */
  async pop(work: PopProcess<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const key = this.#takeKey();
      if (key !== undefined) return await this.#workOff(key, work);
      if (this.#isClosed) throw new QueueClosedError();
      await this.#arrivals.wait(signal);
    }
  }

  /** What waits can still be taken. */
  close(): void {
    this.#isClosed = true;
    this.#arrivals.notifyAll();
  }

  async #workOff(key: string, work: PopProcess<T>): Promise<T> {
    const object = this.#objects.get(key) as T;
    this.#objects.delete(key);
    let isRequeued = false;
    try {
      await work(object, !this.hasSynced());
    } catch (error) {
      if (!(error instanceof RequeueError)) throw error;
      // Into a closed queue nothing goes back: it would never end.
      isRequeued = !this.#isClosed;
      if (isRequeued) this.addIfNotPresent(object);
      if (error.cause !== undefined) throw error.cause;
    } finally {
      // Worked off, not merely taken: whoever waits for the first list may rely on what was done with it.
      if (!isRequeued) this.#initial?.delete(key);
      this.#look();
    }
    return object;
  }

  /** Once synced, always synced. */
  #look(): void {
    if (this.#initial?.size === 0) this.#synced.open();
  }

  #put(key: string, object: T): void {
    this.#objects.set(key, object);
    if (this.#inLine.has(key)) return;
    this.#inLine.add(key);
    this.#line.push(key);
  }

  #takeKey(): string | undefined {
    for (let key = this.#line.shift(); key !== undefined; key = this.#line.shift()) {
      this.#inLine.delete(key);
      if (this.#objects.has(key)) return key;
    }
    return undefined;
  }
}

/** Of the first list's keys, those still wanted; the first list's own, if this is it. */
function keysLeft(initial: ReadonlySet<string> | undefined, listed: ReadonlyMap<string, unknown>): Set<string> {
  if (initial === undefined) return new Set(listed.keys());
  return new Set([...initial].filter((key) => listed.has(key)));
}
