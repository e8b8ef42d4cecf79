// `queue`: the queues between a reflector and a cache, and how their deltas are applied to the cache. Read queue.ts and
// deltas.ts first; in-order-queue.ts is the one that shared informers use.
export { applyDeltas, applyDeltasInSlices, type SliceOptions } from "./apply-deltas.ts";
export type { ApplyTarget, CacheStore } from "./apply-target.ts";
export { DeltaFIFO, type DeltaFIFOOptions, type KeyBatch } from "./delta-fifo.ts";
export type { DeltaCompressor } from "./delta-list.ts";
export { type CollectionDelta, type Delta, isObjectDelta, type ObjectDelta } from "./deltas.ts";
export { FIFO, type PopProcess } from "./fifo.ts";
export { InOrderQueue, type InOrderQueueOptions } from "./in-order-queue.ts";
export type { Keyed } from "./intake.ts";
export type { KnownObjects } from "./known-objects.ts";
export type { Batch, BatchQueue, Queue } from "./queue.ts";
export { InvalidQueueError } from "./queue-errors.ts";
export { type InformerLabels, informerQueueMetrics, openQueueMetrics, type QueueMetrics } from "./queue-metrics.ts";
