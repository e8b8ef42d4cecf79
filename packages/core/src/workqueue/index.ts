// `workqueue`: queues of keys for workers. A key is never lost, and no two workers have the same key at once. Start with work-queue.ts; each
// other file adds one feature: order (priority-order.ts), delays (delayed-keys.ts, delaying-queue.ts), rate limits (rate-limiters.ts), and
// rate-limiting-queue.ts combines them into the queue that controllers use. Nothing here depends on Kubernetes: keys are any primitives.
//
// Not here: workers (runtime), and the meaning of a key.
export { type AddAfterOptions, DelayingQueue, type DelayingQueueOptions } from "./delaying-queue.ts";
export { type ParallelOptions, parallelizeUntil } from "./parallelize.ts";
export { PriorityOrder, type PriorityOrderOptions } from "./priority-order.ts";
export { type QueueMetrics, queueMetrics } from "./queue-metrics.ts";
export type { QueueObserver } from "./queue-observer.ts";
export {
  bucketRateLimiter,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  type ExponentialLimits,
  exponentialRateLimiter,
  type FastSlowLimits,
  fastSlowRateLimiter,
  maxOfRateLimiter,
  maxWaitRateLimiter,
  type RateLimiter,
} from "./rate-limiters.ts";
export { RateLimitingQueue, type RateLimitingQueueOptions } from "./rate-limiting-queue.ts";
export { FifoOrder, type QueueKey, type ReadyOrder } from "./ready-order.ts";
export { type AddOptions, type KeyInFlight, WorkQueue, type WorkQueueOptions } from "./work-queue.ts";
