// Takes events from recorders and distributes them to sinks, logs and watchers, each at its own pace.
//
//   const broadcaster = new EventBroadcaster();
//   broadcaster.startRecordingToSink(coreEventSink(client));
//   const recorder = broadcaster.newRecorder({ component: "foo-controller" });
//   await broadcaster.run(signal);
//
// Promises
// - Recording neither waits nor throws. Events recorded before `run` are buffered until `run` starts, as long as there is room.
// - Sinks, logs and watchers are independent: an event that one sink drops, another sink writes.
// - `run` ends when its signal aborts, after the events recorded until then were written or delivered, within `flushMs`.
import { quote } from "../api/index.ts";
import {
  type Clock,
  childSignal,
  defaultLog,
  KubeloopError,
  type Log,
  type Metrics,
  noMetrics,
  onAbort,
  type Random,
  systemClock,
  systemRandom,
  TaskScope,
  toError,
  untilAborted,
} from "../base/index.ts";
import type { CorrelatorPolicy } from "./event-correlator.ts";
import { eventMetrics, recordedCounter } from "./event-metrics.ts";
import { EventNames } from "./event-names.ts";
import type { EventDetails, EventRecorder } from "./event-recorder.ts";
import type { SeriesPolicy } from "./event-series.ts";
import type { EventSink } from "./event-sink.ts";
import { type EventListener, EventWatcher, logListener } from "./event-watcher.ts";
import type { WriterLimits } from "./event-writer.ts";
import { type EventSource, type EventType, type RecordedEvent, toReference } from "./recorded-event.ts";
import { type Subscriber, sinkSubscriber } from "./sink-subscriber.ts";
import { defaultWritePolicy } from "./write-decision.ts";

export interface EventBroadcasterOptions extends Partial<WriterLimits> {
  /** Aggregation, counting and the spam filter of sinks of core/v1. */
  readonly correlator?: Partial<CorrelatorPolicy>;
  /** How long series last, in sinks of events.k8s.io/v1. */
  readonly series?: Partial<SeriesPolicy>;
  /** Part of the reporting instance if a recorder has neither `instance` nor `host`. Default: the machine's host name. */
  readonly hostName?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly metrics?: Metrics;
}

/** 1000 events may wait, eight are written at once, a request may take 30 s, and the flush at the end 5 s. */
export const defaultWriterLimits: WriterLimits = {
  ...defaultWritePolicy,
  queueSize: 1000,
  writers: 8,
  requestTimeoutMs: 30_000,
  flushMs: 5000,
};

interface Subscription {
  readonly subscriber: Subscriber;
  readonly stop: AbortController;
}

export class EventBroadcaster implements AsyncDisposable {
  readonly #options: EventBroadcasterOptions;
  readonly #limits: WriterLimits;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #names: EventNames;
  readonly #recorded: (type: EventType) => void;
  readonly #subscriptions = new Set<Subscription>();
  readonly #stop = new AbortController();
  #scope: TaskScope | undefined;
  #running: Promise<void> | undefined;

  constructor(options: EventBroadcasterOptions = {}) {
    this.#options = options;
    this.#limits = limitsOf(options);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? defaultLog;
    this.#metrics = options.metrics ?? noMetrics;
    this.#names = new EventNames(this.#random);
    this.#recorded = recordedCounter(this.#metrics);
  }

  /** Writes events to the sink while `run` is running, until disposed of. Each sink has its own counts. */
  startRecordingToSink(sink: EventSink): Disposable {
    const { correlator, series, hostName } = this.#options;
    const observer = eventMetrics(this.#metrics, sink.api);
    return this.#subscribe(sinkSubscriber(sink, { correlator, series, hostName, observer, ...this.#tools }));
  }

  /** Logs one line for every event while `run` is running, until disposed of. */
  startLogging(log: Log): Disposable {
    return this.#watch(logListener(log), "log");
  }

  /** Calls the listener for every event while `run` is running, until disposed of. */
  startEventWatcher(listener: EventListener): Disposable {
    return this.#watch(listener, "watcher");
  }

  newRecorder(source: EventSource): EventRecorder {
    return {
      event: (regarding, type, reason, note) => this.#record(source, { regarding, type, reason, note }),
      annotatedEvent: (regarding, annotations, type, reason, note) =>
        this.#record(source, { regarding, annotations, type, reason, note }),
      eventf: (details) => this.#record(source, details),
    };
  }

  /** Runs until aborted, and then flushes the recorded events. May be called once. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined)
      throw new KubeloopError("an event broadcaster can run only once", { reason: "Invalid", retry: "never" });
    this.#running = this.#work(signal);
    await this.#running;
  }

  /** Stops, and waits until `run` has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    // If `run` was never called, the buffered events are written now.
    await (this.#running ?? this.run(this.#stop.signal));
  }

  async #work(signal: AbortSignal): Promise<void> {
    using stopping = childSignal(signal);
    using _ = onAbort(this.#stop.signal, (reason) => stopping.abort(reason));
    const scope = new TaskScope(stopping.signal);
    this.#scope = scope;
    for (const subscription of this.#subscriptions) this.#start(subscription, scope);
    await untilAborted(new Promise<void>(() => {}), scope.signal).catch(() => {});
    await scope.join();
  }

  #start({ subscriber, stop }: Subscription, scope: TaskScope): void {
    void scope.spawn(async (signal) => {
      using stopping = childSignal(signal);
      using _ = onAbort(stop.signal, (reason) => stopping.abort(reason));
      await subscriber.run(stopping.signal);
    });
  }

  #watch(listener: EventListener, name: string): Disposable {
    const observer = eventMetrics(this.#metrics, name);
    const { queueSize, flushMs } = this.#limits;
    return this.#subscribe(new EventWatcher(listener, { queueSize, flushMs, observer, ...this.#tools }));
  }

  #subscribe(subscriber: Subscriber): Disposable {
    const subscription = { subscriber, stop: new AbortController() };
    this.#subscriptions.add(subscription);
    if (this.#scope !== undefined && !this.#scope.signal.aborted) this.#start(subscription, this.#scope);
    return {
      [Symbol.dispose]: () => {
        this.#subscriptions.delete(subscription);
        subscription.stop.abort();
      },
    };
  }

  get #tools() {
    const [limits, names, clock, random, log] = [this.#limits, this.#names, this.#clock, this.#random, this.#log];
    return { limits, names, clock, random, log };
  }

  /** An invalid event is logged, not thrown, because the controller cannot do anything about it. */
  #record(source: EventSource, details: EventDetails): void {
    try {
      const event = this.#toEvent(source, details);
      this.#recorded(event.type);
      for (const { subscriber } of this.#subscriptions) this.#tell(subscriber, event);
    } catch (error) {
      const { type, reason, note } = details;
      this.#log.error("event is invalid and was not recorded", { type, reason, note, error: toError(error) });
    }
  }

  #tell(subscriber: Subscriber, event: RecordedEvent): void {
    try {
      subscriber.take(event);
    } catch (error) {
      this.#log.error("subscriber failed to take an event", { event: event.name, error: toError(error) });
    }
  }

  #toEvent(source: EventSource, { regarding, related, type, reason, note, ...rest }: EventDetails): RecordedEvent {
    const reference = toReference(regarding);
    if (reference === undefined) throw invalid("an object without kind or apiVersion");
    if (type !== "Normal" && type !== "Warning") throw invalid(`the type ${quote(String(type))}`);
    const atMs = this.#clock.now();
    return {
      name: this.#names.next(reference.name ?? "", atMs),
      type,
      reason,
      note,
      action: rest.action,
      regarding: reference,
      related: related === undefined ? undefined : toReference(related),
      annotations: rest.annotations,
      source,
      atMs,
    };
  }
}

function invalid(what: string): KubeloopError {
  return new KubeloopError(`an event cannot have ${what}`, { reason: "Invalid", retry: "never" });
}

function limitsOf(options: EventBroadcasterOptions): WriterLimits {
  const d = defaultWriterLimits;
  return {
    maxTries: options.maxTries ?? d.maxTries,
    retryMs: options.retryMs ?? d.retryMs,
    queueSize: options.queueSize ?? d.queueSize,
    writers: options.writers ?? d.writers,
    requestTimeoutMs: options.requestTimeoutMs ?? d.requestTimeoutMs,
    flushMs: options.flushMs ?? d.flushMs,
  };
}
