// Opens one queue of a controller with everything that its worker needs: the read-your-writes gate, the clients, and the spans.
//
// Two clients are used. Writes and questions are sent with the controller's own identity. Reads that settle a lost write are sent with the
// identity of the shared informers, because they replace a watch event.
import type { Resource } from "../api/index.ts";
import type { ControllerQueue } from "../contract/for-drivers.ts";
import type { Controller, Wake } from "../contract/index.ts";
import type { ControllerCaches } from "./controller-caches.ts";
import type { ControllerMetrics } from "./controller-metrics.ts";
import type { DriverSettings } from "./driver-options.ts";
import { listingReader, liveReader } from "./live-reader.ts";
import { QueueWorker } from "./queue-worker.ts";
import { ReadYourWrites, type WriteGate } from "./read-your-writes.ts";
import { reconcile } from "./reconcile.ts";
import type { Attempt } from "./reconcile-attempt.ts";
import type { DriverMetrics } from "./reconcile-metrics.ts";
import { RepeatedWrites } from "./repeated-writes.ts";
import type { ControllerSpans } from "./tracing/controller-spans.ts";
import type { SpanContext } from "./tracing/tracer.ts";

export interface OpenQueue {
  readonly worker: QueueWorker;
  readonly gate: WriteGate;
  /** Disposing it stops the gate's timer. */
  readonly ownWrites: Disposable;
  readonly workers: number;
}

export interface OpenQueueParts<M> {
  readonly controller: Controller<M>;
  readonly caches: ControllerCaches;
  readonly model: M;
  readonly settings: DriverSettings;
  readonly counted: DriverMetrics;
  readonly measures: ControllerMetrics;
  readonly spans: ControllerSpans | undefined;
  readonly wake: (wakes: readonly Wake[], by: (() => SpanContext) | undefined) => void;
}

export function openQueue<M>(name: string, queue: ControllerQueue<M>, parts: OpenQueueParts<M>): OpenQueue {
  const { controller, caches, model, settings, counted, measures, spans } = parts;
  const { client, informerClient, ports, recordEvent, clock, requestTimeoutMs, maxParallel, maxRounds, log } = settings;
  const requestClock = clock.labelled({ kind: "background", name: "request deadline" });
  const { reads, writes } = controller;
  const reader = liveReader(client);
  const questions = {
    reader,
    discovery: informerClient.discovery,
    ports,
    clock: requestClock,
    requestTimeoutMs,
    reads,
  };
  const repeated = new RepeatedWrites({ clock, log, count: counted.repeated });
  const apply = { client, informerClient, ports, recordEvent, requestTimeoutMs, maxParallel, writes, repeated };
  const { skips, settlements } = counted;
  const cachesOf = (resource: Parameters<ControllerCaches["cachesOf"]>[0]) => caches.cachesOf(resource);
  const { settleAfterMs, wrapGate = (gate: WriteGate) => gate } = settings;
  const settler = listingReader(informerClient);
  const { staleSyncSkips, staleSync } = controller;
  const onSkip = ({ group, plural }: Resource) =>
    measures.record([
      ...(staleSyncSkips === undefined ? [] : [staleSyncSkips.inc({ group, resource: plural })]),
      ...(staleSync === undefined ? [] : [staleSync]),
    ]);
  const onUnseen = (keys: readonly string[]) => parts.wake(keys, undefined);
  const ownWrites = new ReadYourWrites({
    cachesOf,
    reader: settler,
    clock,
    settleAfterMs,
    skips,
    onSkip,
    settlements,
    onUnseen,
  });
  const gate = wrapGate(ownWrites);
  const wake = (wakes: readonly Wake[] | undefined) => {
    if (wakes !== undefined) parts.wake(wakes, undefined);
  };
  const takes = (other: string, key: string) => {
    const target = Object.hasOwn(controller.queues, other) ? controller.queues[other] : undefined;
    return target !== undefined && (target.everyMs === undefined || key === "");
  };
  const tools = { queue, caches, model, gate, measures, maxRounds, log, questions, apply, wake, takes };
  const toolsIn = (attempt: Attempt) => {
    const { span, cause } = attempt;
    if (span === undefined) return tools;
    const trace = spans?.requestsIn(span);
    const wakeFrom = (wakes: readonly Wake[] | undefined) => {
      if (wakes !== undefined) parts.wake(wakes, cause);
    };
    return { ...tools, wake: wakeFrom, questions: { ...questions, trace }, apply: { ...apply, trace } };
  };
  const isOnly = Object.keys(controller.queues).length === 1;
  const worker = new QueueWorker({
    name,
    metricName: queue.metricName ?? (isOnly ? controller.name : `${controller.name} ${name}`),
    definition: queue,
    clock,
    log,
    metrics: settings.metrics,
    counted,
    deadlineMs: queue.deadlineMs ?? settings.reconcileTimeoutMs,
    reconcile:
      spans === undefined ? (attempt) => reconcile(tools, attempt) : (attempt) => reconcile(toolsIn(attempt), attempt),
    isEcho: (key, change) => gate.isEcho(key, change),
    succeeded: (key) => gate.forgetEchoes(key),
    spans,
  });
  return { worker, gate, ownWrites, workers: settings.workers[name] ?? queue.workers };
}
