// What the scheduler counts about itself, under upstream's names, so that dashboards carry over. Extension points and plugins are measured in
// cycle-metrics.ts.
import { exponentialBuckets, type Metrics } from "@kubeloop/core/base";
import type { QueuedPod, QueuePlace } from "../queue/scheduling-queue.ts";

export const schedulerMetricDefinitions = {
  attempts: {
    name: "scheduler_schedule_attempts_total",
    help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
    labels: ["result", "profile"] as const,
    stability: "STABLE",
  },
  attemptDuration: {
    name: "scheduler_scheduling_attempt_duration_seconds",
    help: "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
    labels: ["result", "profile"] as const,
    buckets: exponentialBuckets(0.001, 2, 15),
    stability: "STABLE",
  },
  pendingPods: {
    name: "scheduler_pending_pods",
    help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated.",
    labels: ["queue"] as const,
    stability: "STABLE",
  },
  podAttempts: {
    name: "scheduler_pod_scheduling_attempts",
    help: "Number of attempts to successfully schedule a pod.",
    buckets: exponentialBuckets(1, 2, 5),
    stability: "STABLE",
  },
  preemptionAttempts: {
    name: "scheduler_preemption_attempts_total",
    help: "Total preemption attempts in the cluster till now",
    stability: "STABLE",
  },
  preemptionVictims: {
    name: "scheduler_preemption_victims",
    help: "Number of selected preemption victims",
    buckets: exponentialBuckets(1, 2, 7),
    stability: "STABLE",
  },
  algorithmDuration: {
    name: "scheduler_scheduling_algorithm_duration_seconds",
    help: "Scheduling algorithm latency in seconds",
    buckets: exponentialBuckets(0.001, 2, 15),
    stability: "ALPHA",
  },
  sliDuration: {
    name: "scheduler_pod_scheduling_sli_duration_seconds",
    help: "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve multiple scheduling attempts.",
    labels: ["attempts"] as const,
    buckets: exponentialBuckets(0.01, 2, 20),
    stability: "BETA",
  },
  scheduledAfterFlush: {
    name: "scheduler_pod_scheduled_after_flush_total",
    help: "Number of pods that were successfully scheduled after being flushed from unschedulablePods due to timeout. This metric helps detect potential queueing hint misconfigurations or event handling issues.",
    stability: "ALPHA",
  },
  incomingPods: {
    name: "scheduler_queue_incoming_pods_total",
    help: "Number of pods added to scheduling queues by event and queue type.",
    labels: ["queue", "event"] as const,
    stability: "STABLE",
  },
  extensionPointDuration: {
    name: "scheduler_framework_extension_point_duration_seconds",
    help: "Latency for running all plugins of a specific extension point.",
    labels: ["extension_point", "status", "profile"] as const,
    buckets: exponentialBuckets(0.0001, 2, 12),
    stability: "STABLE",
  },
  pluginDuration: {
    name: "scheduler_plugin_execution_duration_seconds",
    help: "Duration for running a plugin at a specific extension point.",
    labels: ["plugin", "extension_point", "status"] as const,
    buckets: exponentialBuckets(0.00001, 1.5, 20),
    stability: "ALPHA",
  },
  pluginEvaluations: {
    name: "scheduler_plugin_evaluation_total",
    help: "Number of attempts to schedule pods by each plugin and the extension point (available only in PreFilter, Filter, PreScore, and Score).",
    labels: ["plugin", "extension_point", "profile"] as const,
    stability: "BETA",
  },
  hintDuration: {
    name: "scheduler_queueing_hint_execution_duration_seconds",
    help: "Duration for running a queueing hint function of a plugin.",
    labels: ["plugin", "event", "hint"] as const,
    buckets: exponentialBuckets(0.00001, 1.5, 20),
    stability: "ALPHA",
  },
  eventDuration: {
    name: "scheduler_event_handling_duration_seconds",
    help: "Event handling latency in seconds.",
    labels: ["event"] as const,
    buckets: exponentialBuckets(0.0001, 2, 12),
    stability: "ALPHA",
  },
  unschedulablePods: {
    name: "scheduler_unschedulable_pods",
    help: "The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.",
    labels: ["plugin", "profile"] as const,
    stability: "BETA",
  },
  cacheSize: {
    name: "scheduler_cache_size",
    help: "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
    labels: ["type"] as const,
    stability: "ALPHA",
  },
  inFlightEvents: {
    name: "scheduler_inflight_events",
    help: "Number of events currently tracked in the scheduling queue.",
    labels: ["event"] as const,
    stability: "ALPHA",
  },
  goroutines: {
    name: "scheduler_goroutines",
    help: "Number of running goroutines split by the work they do such as binding.",
    labels: ["operation"] as const,
    stability: "BETA",
  },
  preemptionDuration: {
    name: "scheduler_preemption_goroutines_duration_seconds",
    help: "Duration in seconds for running goroutines for the preemption.",
    labels: ["result"] as const,
    buckets: exponentialBuckets(0.01, 2, 20),
    stability: "ALPHA",
  },
  preemptionExecutions: {
    name: "scheduler_preemption_goroutines_execution_total",
    help: "Number of preemption goroutines executed.",
    labels: ["result"] as const,
    stability: "ALPHA",
  },
  volumeErrors: {
    name: "scheduler_volume_scheduling_stage_error_total",
    help: "Volume scheduling stage error count",
    labels: ["operation"] as const,
    stability: "ALPHA",
  },
} as const;

export type AttemptResult = "scheduled" | "unschedulable" | "error";

export interface SchedulerObserver {
  /** A decision was made, whatever it is. */
  decided(durationMs: number): void;
  /** An attempt has ended: with its binding, if there was one. */
  attempted(result: AttemptResult, profile: string, durationMs: number): void;
  /** A change in the cluster was taken in; `events` are upstream's names of it. */
  handled(events: readonly string[], durationMs: number): void;
  /** A plugin was asked whether an event helps a pod. */
  hinted(plugin: string, event: string, hint: "Queue" | "QueueSkip", durationMs: number): void;
  /** A pod was bound, so long after it was first tried or could have been. */
  bound(queued: Pick<QueuedPod, "attempts" | "isFlushed">, sinceFirstAttemptMs: number | undefined): void;
  /** A pod fitted nowhere and preemption was tried; `victims` is 0 if it does not help. */
  preempted(victims: number): void;
  /** The victims of a preemption were told to go, or not. */
  evicted(isSuccess: boolean, durationMs: number): void;
  /** A pod has come to a place of the queue. */
  queued(place: QueuePlace, event: string): void;
  volumesFailed(): void;
}

export function schedulerMetrics(metrics: Metrics): SchedulerObserver {
  const definitions = schedulerMetricDefinitions;
  const attempts = metrics.counter(definitions.attempts);
  const duration = metrics.histogram(definitions.attemptDuration);
  const algorithm = metrics.histogram(definitions.algorithmDuration).labels({});
  const events = metrics.histogram(definitions.eventDuration);
  const hints = metrics.histogram(definitions.hintDuration);
  const podAttempts = metrics.histogram(definitions.podAttempts).labels({});
  const sli = metrics.histogram(definitions.sliDuration);
  const afterFlush = metrics.counter(definitions.scheduledAfterFlush).labels({});
  const preemptionAttempts = metrics.counter(definitions.preemptionAttempts).labels({});
  const preemptionVictims = metrics.histogram(definitions.preemptionVictims).labels({});
  const preemptions = metrics.counter(definitions.preemptionExecutions);
  const preemptionDuration = metrics.histogram(definitions.preemptionDuration);
  const incoming = metrics.counter(definitions.incomingPods);
  const volumeErrors = metrics.counter(definitions.volumeErrors);
  return {
    decided: (durationMs) => algorithm.observe(durationMs / 1000),
    attempted: (result, profile, durationMs) => {
      attempts.labels({ result, profile }).inc();
      duration.labels({ result, profile }).observe(durationMs / 1000);
    },
    handled: (names, durationMs) => {
      for (const event of names) events.labels({ event }).observe(durationMs / 1000);
    },
    hinted: (plugin, event, hint, durationMs) => hints.labels({ plugin, event, hint }).observe(durationMs / 1000),
    bound: ({ attempts: count, isFlushed }, sinceFirstAttemptMs) => {
      podAttempts.observe(count);
      if (isFlushed) afterFlush.inc();
      if (sinceFirstAttemptMs === undefined) return;
      sli.labels({ attempts: count >= 15 ? "15+" : String(count) }).observe(sinceFirstAttemptMs / 1000);
    },
    preempted: (victims) => {
      preemptionAttempts.inc();
      if (victims > 0) preemptionVictims.observe(victims);
    },
    evicted: (isSuccess, durationMs) => {
      const result = isSuccess ? "success" : "error";
      preemptions.labels({ result }).inc();
      preemptionDuration.labels({ result }).observe(durationMs / 1000);
    },
    queued: (queue, event) => incoming.labels({ queue, event }).inc(),
    volumesFailed: () => volumeErrors.labels({ operation: "bind" }).inc(),
  };
}

/** What is counted when somebody looks. */
export interface SchedulerSizes {
  readonly pendingPods: Readonly<Record<"active" | "backoff" | "unschedulable" | "gated", number>>;
  readonly waiting: readonly QueuedPod[];
  readonly keptEvents: readonly string[];
  readonly inFlight: number;
  readonly cache: Readonly<Record<"assumed_pods" | "pods" | "nodes", number>>;
  readonly bindings: number;
}

/** Sets the gauges before each scrape, until disposed of. */
export function measureSizes(metrics: Metrics, sizesNow: () => SchedulerSizes): Disposable {
  const definitions = schedulerMetricDefinitions;
  const pendingPods = metrics.gauge(definitions.pendingPods);
  const cacheSize = metrics.gauge(definitions.cacheSize);
  const goroutines = metrics.gauge(definitions.goroutines);
  const unschedulable = metrics.gauge(definitions.unschedulablePods);
  const kept = metrics.gauge(definitions.inFlightEvents);
  // What was counted once is 0 when it is gone.
  const plugins = new Map<string, { readonly plugin: string; readonly profile: string }>();
  const events = new Set<string>();
  return metrics.onCollect(() => {
    const sizes = sizesNow();
    for (const [queue, count] of Object.entries(sizes.pendingPods)) pendingPods.labels({ queue }).set(count);
    for (const [type, count] of Object.entries(sizes.cache)) cacheSize.labels({ type }).set(count);
    goroutines.labels({ operation: "binding" }).set(sizes.bindings);
    const byPlugin = new Map<string, number>();
    for (const { podInfo, rejectingPlugins } of sizes.waiting) {
      const profile = podInfo.pod.spec.schedulerName ?? "";
      for (const plugin of rejectingPlugins) {
        plugins.set(`${plugin} ${profile}`, { plugin, profile });
        byPlugin.set(`${plugin} ${profile}`, (byPlugin.get(`${plugin} ${profile}`) ?? 0) + 1);
      }
    }
    for (const [key, labels] of plugins) unschedulable.labels(labels).set(byPlugin.get(key) ?? 0);
    kept.labels({ event: "PodPopped" }).set(sizes.inFlight);
    for (const event of sizes.keptEvents) events.add(event);
    for (const event of events) {
      kept.labels({ event }).set(sizes.keptEvents.filter((each) => each === event).length);
    }
  });
}
