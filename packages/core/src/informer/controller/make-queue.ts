// Makes the queue between a reflector and a cache.
import type { Clock, Log } from "../../base/index.ts";
import { DeltaFIFO } from "../queue/delta-fifo.ts";
import { InOrderQueue } from "../queue/in-order-queue.ts";
import type { KnownObjects } from "../queue/known-objects.ts";
import type { BatchQueue } from "../queue/queue.ts";
import type { QueueMetrics } from "../queue/queue-metrics.ts";
import type { KeyFunction, Transform } from "../store/store.ts";

/**
 * `in-order` keeps the order of the stream across objects, and every state of each object. `delta-fifo` is client-go's older queue: it keeps
 * the order only within an object.
 */
export type QueueKind = "in-order" | "delta-fifo";

export interface MakeQueueOptions<T> {
  readonly keyOf: KeyFunction<T>;
  readonly transform: Transform<T> | undefined;
  /** The cache that the queue feeds. */
  readonly known: KnownObjects<T>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: QueueMetrics | undefined;
}

export function makeQueue<T>(kind: QueueKind = "in-order", options: MakeQueueOptions<T>): BatchQueue<T> {
  const { known, ...given } = options;
  return kind === "delta-fifo" ? new DeltaFIFO({ ...given, knownObjects: known }) : new InOrderQueue(given);
}
