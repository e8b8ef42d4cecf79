// `workqueue`: keys to work on, without losing one and without two workers having the same. Start with work-queue.ts; each
// other file adds one ability: order (priority-order.ts), delays (delay-line.ts, delaying-queue.ts), rate limits (rate-limiters.ts), and
// rate-limiting-queue.ts puts them together as controllers use them. Knows no Kubernetes: keys are any primitives.
//
// Not here: workers (runtime), and what a key means.
export { DelayingQueue, type DelayingQueueOptions } from "./delaying-queue.ts";
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
