// A queue in which each object waits once, in its newest state, in the order of its first arrival. For consumers that want to process
// each object once, in its newest state, and skip objects that were deleted meanwhile. Informers need the
// changes instead of the states: see DeltaFIFO.
//
// An object is removed from the queue before it is processed. An error does not put it back, unless it is a
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
  /** Keys in order. A deleted key stays here and is skipped when it is reached. */
  readonly #line = new RingBuffer<string>();
  readonly #inLine = new Set<string>();
  readonly #arrivals = new ConditionVariable();
  readonly #version = new StoreResourceVersion();
  /** The keys of the first list that are not processed yet; undefined before anything was added. */
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

  /** The first list has been processed, or an object was added or deleted before any list. */
  hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Calls back once, when `hasSynced` becomes true; immediately if it is. */
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

  /** For objects that are put back: a newer one with the same key stays. */
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

  /** Replaces the content by these objects, in this order. Throws a KeyError, and then nothing has changed. */
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

  /** Does nothing, because every object here already waits. */
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
   * Waits for an object, removes it and calls `work` with it. Rejects with the error of `work`, with the cause of a
   * RequeueError if it has one, with a QueueClosedError if the queue is closed and empty, or with the signal's reason.
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

  /** Objects in the queue can still be popped. */
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
      // A closed queue takes nothing back, because it would never become empty.
      isRequeued = !this.#isClosed;
      if (isRequeued) this.addIfNotPresent(object);
      if (error.cause !== undefined) throw error.cause;
    } finally {
      // Counted when processed, not when popped, so that after `hasSynced` the first list has really been processed.
      if (!isRequeued) this.#initial?.delete(key);
      this.#look();
    }
    return object;
  }

  /** Once synced, the queue stays synced. */
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

/** Returns the unprocessed keys of the first list that the new list still has; all keys of the new list if it is the first. */
function keysLeft(initial: ReadonlySet<string> | undefined, listed: ReadonlyMap<string, unknown>): Set<string> {
  if (initial === undefined) return new Set(listed.keys());
  return new Set([...initial].filter((key) => listed.has(key)));
}
