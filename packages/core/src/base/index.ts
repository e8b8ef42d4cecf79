// `base`: the small parts that every loop uses: time, randomness, signals, scopes, queues, errors, logs and metrics. It contains nothing about
// Kubernetes and has no dependencies. Start with clock.ts and signal.ts; everything that waits builds on those two.
//
// Not here: network access, file access, and everything about Kubernetes.
export {
  afterFailure,
  type BackoffPolicy,
  type BackoffState,
  backoffDelayMs,
  jittered,
  noFailures,
} from "./backoff.ts";
export { Channel } from "./channel.ts";
export { Cleanup } from "./cleanup.ts";
export { type Clock, inFlight, systemClock, type TimerKind, type TimerLabel } from "./clock.ts";
export { copyJson, deepEqual, deepFreeze } from "./deep.ts";
export { defaultLog } from "./default-log.ts";
export { type Deferred, deferred } from "./deferred.ts";
export { assertNever, isAborted, KubeloopError, type KubeloopErrorOptions, type RetryHint, toError } from "./errors.ts";
export { FakeClock, type FakeClockOptions, type PendingTimer } from "./fake-clock.ts";
export { KeyedHeap, type KeyedHeapOptions } from "./keyed-heap.ts";
export { type LimitRepeatsOptions, limitRepeats } from "./limit-repeats.ts";
export { type Listener, Listeners } from "./listeners.ts";
export { jsonLineLog, type LineLogOptions, type Log, type LogFields, type LogLevel, noLog } from "./log.ts";
export {
  type Counter,
  type CounterSeries,
  exponentialBuckets,
  type Gauge,
  type GaugeSeries,
  type Histogram,
  type HistogramDefinition,
  type HistogramSeries,
  type LabelValues,
  type Metric,
  type MetricDefinition,
  type MetricStability,
  type Metrics,
  noMetrics,
} from "./metrics.ts";
export { MetricsRegistry, type MetricsRegistryOptions, prometheusContentType } from "./metrics-registry.ts";
export { type Random, randomBelow, randomBetween, type SeededRandom, seededRandom, systemRandom } from "./random.ts";
export { RingBuffer } from "./ring-buffer.ts";
export { SharedWork } from "./shared-work.ts";
export {
  type ChildSignal,
  childSignal,
  onAbort,
  TimeoutError,
  type TimeoutOptions,
  timeoutSignal,
  untilAborted,
} from "./signal.ts";
export { runTogether, type Task, TaskScope } from "./task-scope.ts";
export { textLineLog } from "./text-line-log.ts";
export {
  fullBucket,
  msUntilToken,
  type TokenBucket,
  type TokenBucketPolicy,
  takeToken,
} from "./token-bucket.ts";
export { TrackedClock } from "./tracked-clock.ts";
export { type WaitingEntry, WaitingLine } from "./waiting-line.ts";
export { YieldBudget } from "./yield-budget.ts";
