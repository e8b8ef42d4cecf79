// One queue of a controller with all its worker needs: the gate for its keys' own writes, the way to the server, its spans.
import type { Controller, ControllerQueue, Wake } from "../contract/index.ts";
import type { ControllerCaches } from "./cache-snapshot.ts";
import type { DriverMetrics } from "./driver-metrics.ts";
import type { DriverSettings } from "./driver-options.ts";
import { liveReader } from "./live-reader.ts";
import { type Attempt, QueueWorker } from "./queue-worker.ts";
import { ReadYourWrites, type WriteGate } from "./read-your-writes.ts";
import { reconcile } from "./reconcile.ts";
import type { ControllerSpans } from "./tracing/controller-spans.ts";
import type { SpanContext } from "./tracing/tracer.ts";

export interface OpenQueue {
  readonly worker: QueueWorker;
  readonly gate: WriteGate;
  readonly workers: number;
}

export interface OpenQueueParts<M> {
  readonly controller: Controller<M>;
  readonly caches: ControllerCaches;
  readonly model: M;
  readonly settings: DriverSettings;
  readonly counted: DriverMetrics;
  readonly spans: ControllerSpans | undefined;
  readonly wake: (wakes: readonly Wake[], by: (() => SpanContext) | undefined) => void;
}

export function openQueue<M>(name: string, queue: ControllerQueue<M>, parts: OpenQueueParts<M>): OpenQueue {
  const { controller, caches, model, settings, counted, spans } = parts;
  const { client, ports, recordEvent, clock, requestTimeoutMs, maxParallel, maxRounds, log } = settings;
  const reader = liveReader(client);
  const requestClock = clock.labelled({ kind: "background", name: "request deadline" });
  const questions = { reader, discovery: client.discovery, ports, clock: requestClock, requestTimeoutMs };
  const { writes } = controller;
  const apply = { client, ports, recordEvent, clock: requestClock, requestTimeoutMs, maxParallel, writes };
  const { skips, settlements } = counted;
  const cachesOf = (resource: Parameters<ControllerCaches["cachesOf"]>[0]) => caches.cachesOf(resource);
  const { settleAfterMs, wrapGate = (gate: WriteGate) => gate } = settings;
  const gate = wrapGate(new ReadYourWrites({ cachesOf, reader, clock, settleAfterMs, skips, settlements }));
  const tools = { queue, caches, model, gate, maxRounds, log };
  const toolsFor = ({ failures, span }: Attempt) => {
    const trace = span === undefined ? undefined : spans?.requestsIn(span);
    const by = span === undefined ? undefined : () => span.spanContext();
    const wake = (wakes: readonly Wake[]) => parts.wake(wakes, by);
    return { ...tools, failures, wake, questions: { ...questions, trace }, apply: { ...apply, trace } };
  };
  const isOnly = Object.keys(controller.queues).length === 1;
  const worker = new QueueWorker({
    name,
    metricName: queue.metricName ?? (isOnly ? controller.name : `${controller.name} ${name}`),
    definition: queue as ControllerQueue<unknown>,
    clock,
    log,
    metrics: settings.metrics,
    counted,
    deadlineMs: queue.deadlineMs ?? settings.reconcileTimeoutMs,
    reconcile: (key, attempt, signal) => reconcile(key, toolsFor(attempt), signal),
    isEcho: (key, change) => gate.isEcho(key, change),
    spans,
  });
  return { worker, gate, workers: settings.workers[name] ?? queue.workers };
}
