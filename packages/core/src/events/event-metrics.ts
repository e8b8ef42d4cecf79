// Counts the outcomes of recorded events. Kubernetes' recorders have no metrics, so the names are ours.
import type { Metrics } from "../base/index.ts";
import type { EventType } from "./recorded-event.ts";
import type { DropReason, WriteVerb } from "./write-decision.ts";

export interface EventObserver {
  written(verb: WriteVerb): void;
  retried(): void;
  dropped(why: DropReason): void;
  /** How many events wait to be written or delivered. */
  pending(count: number): void;
}

const labels = ["sink"] as const;

export const eventMetricDefinitions = {
  recorded: {
    name: "kubeloop_events_recorded_total",
    help: "Events that were recorded, before aggregation, counting and the spam filter",
    labels: ["type"] as const,
  },
  written: {
    name: "kubeloop_events_written_total",
    help: "Events written to a sink, by verb: create for a new one, patch for one that was counted up",
    labels: ["sink", "verb"] as const,
  },
  retried: {
    name: "kubeloop_event_write_retries_total",
    help: "Writes of events that failed and will be tried again",
    labels,
  },
  dropped: {
    name: "kubeloop_events_dropped_total",
    help:
      "Events that were not written: full (too many wait), spam (too many about one object), refused (by the server), " +
      "unreachable (tried often enough), stopped (no time left)",
    labels: ["sink", "why"] as const,
  },
  pending: {
    name: "kubeloop_events_pending",
    help: "Events that wait to be written",
    labels,
  },
} as const;

export function recordedCounter(metrics: Metrics): (type: EventType) => void {
  const recorded = metrics.counter(eventMetricDefinitions.recorded);
  return (type) => recorded.labels({ type }).inc();
}

export function eventMetrics(metrics: Metrics, sink: string): EventObserver {
  const written = metrics.counter(eventMetricDefinitions.written);
  const retried = metrics.counter(eventMetricDefinitions.retried).labels({ sink });
  const dropped = metrics.counter(eventMetricDefinitions.dropped);
  const pending = metrics.gauge(eventMetricDefinitions.pending).labels({ sink });
  let lastPending = 0;
  return {
    written: (verb) => written.labels({ sink, verb }).inc(),
    retried: () => retried.inc(),
    dropped: (why) => dropped.labels({ sink, why }).inc(),
    // The values of several sinks of one kind are added.
    pending: (count) => {
      pending.inc(count - lastPending);
      lastPending = count;
    },
  };
}
