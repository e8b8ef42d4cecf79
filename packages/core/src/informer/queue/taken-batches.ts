// The batches that were taken from a queue and are not done yet. While a batch is processed, the cache may or may not have its changes, so the
// queue still considers them when it looks up a key. The time between take and done is the processing time.
import type { Clock, Log } from "../../base/index.ts";
import type { Deleted } from "../tombstone.ts";
import { isObjectDelta, type ObjectDelta } from "./deltas.ts";
import type { Batch } from "./queue.ts";
import type { QueueMetrics } from "./queue-metrics.ts";

/** Slow processing matters only if other items wait. */
const fewWaiting = 10;
const slowItemMs = 100;
const slowBatchMs = 1000;

interface Taking<T> {
  readonly batch: Batch<T>;
  /** How many items were left in the queue when the batch was taken. */
  readonly depth: number;
  readonly startedMs: number | undefined;
}

export interface TakenBatchesOptions<T> {
  /** Returns undefined for an item without a key. */
  readonly keyOf: (object: Deleted<T>) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: QueueMetrics | undefined;
}

export class TakenBatches<T> {
  readonly #options: TakenBatchesOptions<T>;
  // Nearly always at most one entry, so an array is faster than a map.
  readonly #takings: Taking<T>[] = [];

  constructor(options: TakenBatchesOptions<T>) {
    this.#options = options;
  }

  open(batch: Batch<T>, depth: number): void {
    const isTimed = depth > fewWaiting || this.#options.metrics !== undefined;
    this.#takings.push({ batch, depth, startedMs: isTimed ? this.#options.clock.monotonic() : undefined });
  }

  /** Returns whether the batch was open: a second `done`, or one for a batch of another queue, does nothing. */
  close(batch: Batch<T>): boolean {
    const at = this.#takings.findIndex((taking) => taking.batch === batch);
    const [taking] = at < 0 ? [] : this.#takings.splice(at, 1);
    if (taking?.startedMs !== undefined) this.#report(taking, this.#options.clock.monotonic() - taking.startedMs);
    return taking !== undefined;
  }

  newestByKey(): Map<string, ObjectDelta<T>> {
    const newestByKey = new Map<string, ObjectDelta<T>>();
    for (const { batch } of this.#takings) {
      for (const delta of batch.deltas) {
        if (!isObjectDelta(delta)) continue;
        const key = this.#options.keyOf(delta.object);
        if (key !== undefined) newestByKey.set(key, delta);
      }
    }
    return newestByKey;
  }

  #report({ batch, depth }: Taking<T>, tookMs: number): void {
    this.#options.metrics?.processingLatency.observe(tookMs / 1000);
    const items = batch.deltas.length;
    if (depth <= fewWaiting || tookMs <= Math.min(slowItemMs * items, slowBatchMs)) return;
    const [first] = batch.deltas;
    const key = first !== undefined && isObjectDelta(first) ? this.#options.keyOf(first.object) : first?.type;
    this.#options.log.warn("slow processing delays the queue", { key, items, depth, tookMs });
  }
}
