// The event of core/v1: one object for all equal events, with a count and the times of the first and the last.
import { type corev1, printTime } from "../api/index.ts";
import { joinKey, namespaceOf, type RecordedEvent } from "./recorded-event.ts";

/** Returns the object for the first occurrence. */
export function toCoreEvent(recorded: RecordedEvent): corev1.Event {
  const { name, source, annotations, action, related, atMs } = recorded;
  const { component, host, instance = host ?? "" } = source;
  const time = printTime(atMs);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: namespaceOf(recorded), ...(annotations === undefined ? {} : { annotations }) },
    involvedObject: recorded.regarding,
    ...(related === undefined ? {} : { related }),
    ...(action === undefined ? {} : { action }),
    reason: recorded.reason,
    message: recorded.note,
    source: { component, ...(host === undefined ? {} : { host }) },
    reportingComponent: component,
    reportingInstance: instance,
    type: recorded.type,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

/** Returns the patch for a further occurrence. */
export function coreEventPatch({ count, lastTimestamp, message }: corev1.Event): object {
  return { count, lastTimestamp, message };
}

/** The key of equal events, which are counted in one object: events that differ only in their times. */
export function sameEventKey(event: corev1.Event): string {
  const { involvedObject, type, reason, message, action, related } = event;
  const { fieldPath } = involvedObject;
  return joinKey([...objectKeyParts(event), fieldPath, type, reason, message, action, related?.kind, related?.uid]);
}

/** The key of similar events: events that differ only in their message. */
export function similarEventsKey(event: corev1.Event): string {
  const { type, reason, reportingComponent, reportingInstance } = event;
  return joinKey([...objectKeyParts(event), type, reason, reportingComponent, reportingInstance]);
}

/** The key of the spam filter: all events of one type from one source about one object. */
export function spamKey(event: corev1.Event): string {
  return joinKey([...objectKeyParts(event), event.type]);
}

export function combinedMessage({ message = "" }: corev1.Event): string {
  return `(combined from similar events): ${message}`;
}

function objectKeyParts({ source, involvedObject }: corev1.Event): readonly (string | undefined)[] {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion];
}
