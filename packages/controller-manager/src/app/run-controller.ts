// Runs one controller of the contract in the manager: with its own client and its own events, on the shared informers.
import type { Resource } from "@kubeloop/core/api";
import type { Controller } from "@kubeloop/core/contract";
import { coreEventSink, EventBroadcaster, recordEventActions } from "@kubeloop/core/events";
import { ControllerDriver, type Ports } from "@kubeloop/core/runtime";
import type { ControllerContext } from "./controller-context.ts";
import type { ControllerDescriptor, StartResult } from "./controller-descriptors.ts";

export interface RunControllerOptions {
  readonly ports?: Ports;
  /** Who in the process asks the server; its service account unless given. */
  readonly clientName?: string;
  /** What its events name as their source; the controller's name unless given. */
  readonly eventSource?: string;
  /** How long workers wait for caches; the driver's unless given. */
  readonly syncTimeoutMs?: number;
}

/** Declines where the server does not serve the primary resource. */
export function runController<M>(
  context: ControllerContext,
  descriptor: ControllerDescriptor,
  controller: Controller<M>,
  options: RunControllerOptions = {},
): StartResult {
  const { ports, clientName = descriptor.serviceAccount ?? descriptor.name, syncTimeoutMs } = options;
  const { eventSource = descriptor.name } = options;
  if (!isServed(context, controller.primary)) return { isStarted: false };
  const { clock, random, log, metrics, informerClient } = context;
  const client = context.clientBuilder.clientFor(clientName, descriptor.limits);
  const events = new EventBroadcaster({ clock, random, log, metrics });
  events.startRecordingToSink(coreEventSink(client));
  const driver = new ControllerDriver<M>(controller, {
    client,
    informerClient,
    informers: context.informerFactory,
    metadata: context.metadataInformerFactory,
    clock,
    random,
    log: log.with({ controller: descriptor.name }),
    metrics,
    // As upstream, the manager waits for caches without limit: a controller's "fail" does not count here.
    onSyncTimeout: controller.onSyncTimeout === "start" ? "start" : "wait",
    drainMs: context.drainMs,
    recordEvent: recordEventActions(events.newRecorder({ component: eventSource })),
    ...(ports === undefined ? {} : { ports }),
    ...(syncTimeoutMs === undefined ? {} : { syncTimeoutMs }),
  });
  context.addTask(descriptor.name, async (signal) => {
    // What the controller records while it ends is written, too.
    const ending = new AbortController();
    const recording = events.run(ending.signal);
    try {
      await driver.run(signal);
    } finally {
      ending.abort(signal.reason);
      await recording;
    }
  });
  return { isStarted: true };
}

function isServed({ served }: ControllerContext, resource: Resource | undefined): boolean {
  if (resource === undefined) return true;
  return served.resources.some(
    ({ group, version, plural }) =>
      group === resource.group && version === resource.version && plural === resource.plural,
  );
}
