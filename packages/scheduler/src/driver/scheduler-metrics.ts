// What the scheduler counts about itself, under upstream's names, so that dashboards carry over. Not all of upstream's are here yet: those of extension
// points, plugins, hints and the ways into the queue are missing.
import { exponentialBuckets, type Metrics } from "@kubeloop/core/base";

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
} as const;

export type AttemptResult = "scheduled" | "unschedulable" | "error";

export interface SchedulerObserver {
  /** An attempt has ended: with its binding, if there was one. */
  attempted(result: AttemptResult, profile: string, durationMs: number): void;
  /** A pod was bound in its so-manieth attempt. */
  bound(attempts: number): void;
  /** A pod fitted nowhere and preemption was tried; `victims` is 0 if it does not help. */
  preempted(victims: number): void;
}

export function schedulerMetrics(metrics: Metrics): SchedulerObserver {
  const attempts = metrics.counter(schedulerMetricDefinitions.attempts);
  const duration = metrics.histogram(schedulerMetricDefinitions.attemptDuration);
  const podAttempts = metrics.histogram(schedulerMetricDefinitions.podAttempts).labels({});
  const preemptionAttempts = metrics.counter(schedulerMetricDefinitions.preemptionAttempts).labels({});
  const preemptionVictims = metrics.histogram(schedulerMetricDefinitions.preemptionVictims).labels({});
  return {
    attempted: (result, profile, durationMs) => {
      attempts.labels({ result, profile }).inc();
      duration.labels({ result, profile }).observe(durationMs / 1000);
    },
    bound: (count) => podAttempts.observe(count),
    preempted: (victims) => {
      preemptionAttempts.inc();
      if (victims > 0) preemptionVictims.observe(victims);
    },
  };
}

type PendingPods = Readonly<Record<"active" | "backoff" | "unschedulable" | "gated", number>>;

/** Sets `scheduler_pending_pods` before each scrape, until disposed of. */
export function measurePendingPods(metrics: Metrics, pendingPods: () => PendingPods): Disposable {
  const gauge = metrics.gauge(schedulerMetricDefinitions.pendingPods);
  return metrics.onCollect(() => {
    for (const [queue, count] of Object.entries(pendingPods())) gauge.labels({ queue }).set(count);
  });
}
