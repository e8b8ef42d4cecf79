// What was taken from a queue and is not done yet. While it is worked on, the cache may or may not have it, so the queue still
// counts it when it is asked what it knows of a key. And from taking to being done is the time that work took.
import type { Clock, Log } from "../../base/index.ts";
import type { Deleted } from "../tombstone.ts";
import { isObjectDelta, type ObjectDelta } from "./deltas.ts";
import type { Batch } from "./queue.ts";
import type { QueueMetrics } from "./queue-metrics.ts";

/** Work that is slow matters only when others wait for it. */
const fewWaiting = 10;
const slowItemMs = 100;
const slowBatchMs = 1000;

interface Taking<T> {
  readonly batch: Batch<T>;
  /** How many items were left in the queue. */
  readonly depth: number;
  readonly startedMs: number | undefined;
}

export interface TakenBatchesOptions<T> {
  /** Undefined for what has no key. */
  readonly keyOf: (object: Deleted<T>) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: QueueMetrics | undefined;
}

export class TakenBatches<T> {
  readonly #options: TakenBatchesOptions<T>;
  // Nearly always one or none: a list is quicker than a map.
  readonly #takings: Taking<T>[] = [];

  constructor(options: TakenBatchesOptions<T>) {
    this.#options = options;
  }

  open(batch: Batch<T>, depth: number): void {
    const isTimed = depth > fewWaiting || this.#options.metrics !== undefined;
    this.#takings.push({ batch, depth, startedMs: isTimed ? this.#options.clock.monotonic() : undefined });
  }

  /** Whether the batch was open: what is done twice, or was taken elsewhere, does not count. */
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
    this.#options.log.warn("slow work holds up the queue", { key, items, depth, tookMs });
  }
}
