// Runs one controller of the contract in the manager: with its own client and its own events, on the shared informers.
import type { Resource } from "@kubeloop/core/api";
import type { Controller } from "@kubeloop/core/contract";
import { coreEventSink, EventBroadcaster, recordEventActions } from "@kubeloop/core/events";
import { ControllerDriver, type Ports } from "@kubeloop/core/runtime";
import type { ControllerContext } from "./controller-context.ts";
import type { ControllerDescriptor, StartResult } from "./controller-descriptors.ts";

export interface RunControllerOptions {
  readonly ports?: Ports;
  /** How long workers wait for caches; the driver's unless given. */
  readonly syncTimeoutMs?: number;
}

/** Declines where the server does not serve what the controller watches. */
export function runController<M>(
  context: ControllerContext,
  descriptor: ControllerDescriptor,
  controller: Controller<M>,
  { ports, syncTimeoutMs }: RunControllerOptions = {},
): StartResult {
  if (!isServed(context, controller.primary)) return { isStarted: false };
  const { clock, random, log, metrics, informerClient } = context;
  const client = context.clientBuilder.clientFor(descriptor.name, descriptor.limits);
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
    onSyncTimeout: controller.onSyncTimeout === "start" ? "start" : "wait",
    recordEvent: recordEventActions(events.newRecorder({ component: descriptor.name })),
    ...(ports === undefined ? {} : { ports }),
    ...(syncTimeoutMs === undefined ? {} : { syncTimeoutMs }),
  });
  context.addTask(`${descriptor.name} events`, (signal) => events.run(signal));
  context.addTask(descriptor.name, (signal) => driver.run(signal));
  return { isStarted: true };
}

function isServed({ served }: ControllerContext, resource: Resource | undefined): boolean {
  if (resource === undefined) return true;
  return served.resources.some(
    ({ group, version, plural }) =>
      group === resource.group && version === resource.version && plural === resource.plural,
  );
}
