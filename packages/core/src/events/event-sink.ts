// Where events are stored: an API server, through one of its two event APIs, or a fake in tests.
//
// Both APIs serve the same events. core/v1 is what most of Kubernetes' own controllers write, with counts and with similar events
// aggregated; events.k8s.io/v1 is the newer one, with an action, a related object, and series.
import { events, eventsEvents } from "../api/generated/resources.ts";
import type { corev1, eventsv1, KubernetesObject, Resource } from "../api/index.ts";
import type { Client } from "../client/index.ts";

/** The methods throw on failure; write-decision.ts decides what happens then. */
export interface EventWrites<T> {
  create(event: T, signal: AbortSignal): Promise<unknown>;
  /** Sends a merge patch for the event of that namespace and name. */
  patch(event: T, patch: object, signal: AbortSignal): Promise<unknown>;
}

export interface CoreEventSink extends EventWrites<corev1.Event> {
  readonly api: "v1";
}

export interface SeriesEventSink extends EventWrites<eventsv1.Event> {
  readonly api: "events.k8s.io/v1";
}

export type EventSink = CoreEventSink | SeriesEventSink;

/** core/v1. */
export function coreEventSink(client: Client): CoreEventSink {
  return { api: "v1", ...writesOf(client, events) };
}

/** events.k8s.io/v1. */
export function seriesEventSink(client: Client): SeriesEventSink {
  return { api: "events.k8s.io/v1", ...writesOf(client, eventsEvents) };
}

/** Returns a sink for events.k8s.io/v1 if the server serves it, otherwise for core/v1. */
export async function servedEventSink(client: Client, signal: AbortSignal): Promise<EventSink> {
  const { resources } = await client.discovery.discover(signal);
  const isServed = resources.some(({ apiVersion, plural }) => apiVersion === "events.k8s.io/v1" && plural === "events");
  return isServed ? seriesEventSink(client) : coreEventSink(client);
}

function writesOf<T extends KubernetesObject>(client: Client, resource: Resource<T>): EventWrites<T> {
  const inNamespaceOf = ({ metadata }: T) => client.resource(resource).in(metadata.namespace ?? "");
  return {
    create: (event, signal) => inNamespaceOf(event).create(event, signal),
    patch: (event, patch, signal) =>
      inNamespaceOf(event).patch(event.metadata.name ?? "", { type: "merge", body: patch }, signal),
  };
}
