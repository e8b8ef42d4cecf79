// Between the two spellings of an event: that of the core API, in which it is stored, and that of events.k8s.io. Nothing is lost either
// way. What the one prints empty the other leaves out.
import type { corev1, eventsv1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";

export function toCoreEvent(event: Draft<eventsv1.Event>): Draft<corev1.Event> {
  return withoutAbsent({
    kind: "Event",
    apiVersion: "v1",
    metadata: event.metadata,
    involvedObject: event.regarding ?? {},
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource ?? {},
    firstTimestamp: event.deprecatedFirstTimestamp ?? null,
    lastTimestamp: event.deprecatedLastTimestamp ?? null,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime ?? null,
    series: event.series,
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController ?? "",
    reportingInstance: event.reportingInstance ?? "",
  }) as unknown as Draft<corev1.Event>;
}

export function fromCoreEvent(event: corev1.Event): eventsv1.Event {
  return withoutAbsent({
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    metadata: event.metadata,
    eventTime: event.eventTime ?? null,
    series: event.series,
    reportingController: unlessEmpty(event.reportingComponent),
    reportingInstance: unlessEmpty(event.reportingInstance),
    action: event.action,
    reason: event.reason,
    regarding: event.involvedObject,
    related: event.related,
    note: event.message,
    type: event.type,
    deprecatedSource: event.source ?? {},
    deprecatedFirstTimestamp: event.firstTimestamp ?? null,
    deprecatedLastTimestamp: event.lastTimestamp ?? null,
    deprecatedCount: event.count,
  }) as unknown as eventsv1.Event;
}

const unlessEmpty = (text: string | undefined) => (isAbsent(text) ? undefined : text);

function withoutAbsent(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
