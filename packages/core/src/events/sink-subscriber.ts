// Connects recorded events to a sink: a correlator or series decides what to write, an EventWriter writes it.
//
// Promise: `take` neither waits nor throws, whatever the events contain.
import { hostname } from "node:os";
import type { corev1, eventsv1, KubernetesObject } from "../api/index.ts";
import { type Clock, isAborted, type Log, type Random } from "../base/index.ts";
import { coreEventPatch } from "./core-event.ts";
import { type CorrelatorPolicy, EventCorrelator } from "./event-correlator.ts";
import type { EventObserver } from "./event-metrics.ts";
import type { EventNames } from "./event-names.ts";
import { EventSeries, type SeriesPolicy } from "./event-series.ts";
import type { CoreEventSink, EventSink, EventWrites, SeriesEventSink } from "./event-sink.ts";
import type { EventWrite } from "./event-write.ts";
import { EventWriter, type WriterLimits } from "./event-writer.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { seriesPatch } from "./series-event.ts";

/** Receives recorded events. */
export interface Subscriber {
  take(event: RecordedEvent): void;
  /** Runs until aborted; then finishes the events it has, within `flushMs`. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SinkOptions {
  readonly correlator?: Partial<CorrelatorPolicy> | undefined;
  readonly series?: Partial<SeriesPolicy> | undefined;
  /** Part of the reporting instance if a source has neither `instance` nor `host`. Default: the machine's host name. */
  readonly hostName?: string | undefined;
  readonly limits: WriterLimits;
  readonly names: EventNames;
  readonly observer: EventObserver;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function sinkSubscriber(sink: EventSink, options: SinkOptions): Subscriber {
  return sink.api === "v1" ? coreSubscriber(sink, options) : seriesSubscriber(sink, options);
}

function coreSubscriber(sink: CoreEventSink, options: SinkOptions): Subscriber {
  const correlator = new EventCorrelator(options.correlator);
  const writer = writerFor(sink, options, {
    patchOf: coreEventPatch,
    rename: (key, name) => correlator.rename(key, name),
    objectOf: ({ involvedObject }: corev1.Event) => involvedObject,
  });
  return {
    take: (event) => {
      const write = correlator.correlate(event, options.clock.monotonic());
      if (write === undefined) options.observer.dropped("spam");
      else writer.offer(write);
    },
    run: (signal) => writer.run(signal),
  };
}

function seriesSubscriber(sink: SeriesEventSink, options: SinkOptions): Subscriber {
  const { clock, hostName = hostname() } = options;
  const series = new EventSeries({ hostName, policy: options.series });
  const writer = writerFor(sink, options, {
    patchOf: seriesPatch,
    rename: (key, name) => series.rename(key, name),
    objectOf: ({ regarding = {} }: eventsv1.Event) => regarding,
  });
  const offer = (writes: readonly EventWrite<eventsv1.Event>[]) => {
    for (const write of writes) writer.offer(write);
  };
  const timers = clock.labelled({ kind: "background", name: "event series" });
  const sweep = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      offer(series.sweep(clock.monotonic()));
      await sleepUnlessAborted(timers, series.nextDueMs(clock.monotonic()) - clock.monotonic(), signal);
    }
  };
  return {
    take: (event) => offer(series.observe(event, clock.monotonic())),
    run: async (signal) => {
      const finish = () => offer(series.finishAll());
      await Promise.all([sweep(signal), writer.run(signal, finish)]);
    },
  };
}

async function sleepUnlessAborted(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(delayMs, signal);
  } catch (error) {
    if (!isAborted(error, signal)) throw error;
  }
}

interface EventShape<T> {
  readonly patchOf: (event: T) => object;
  readonly rename: (key: string, name: string) => void;
  readonly objectOf: (event: T) => corev1.ObjectReference;
}

function writerFor<T extends KubernetesObject>(
  sink: EventWrites<T>,
  { names, limits, observer, clock, random, log }: SinkOptions,
  { patchOf, rename, objectOf }: EventShape<T>,
): EventWriter<T> {
  const renamed = (key: string, event: T): T => {
    const name = names.next(objectOf(event).name ?? "", clock.now());
    rename(key, name);
    return { ...event, metadata: { ...event.metadata, name } };
  };
  return new EventWriter({ sink, patchOf, rename: renamed, limits, observer, clock, random, log });
}
