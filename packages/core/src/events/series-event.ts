// The event of events.k8s.io/v1: one object for a series of the same, with a count and the time of the last.
import { type corev1, type eventsv1, printMicroTime } from "../api/index.ts";
import { joinKey, namespaceOf, type RecordedEvent } from "./recorded-event.ts";

/** What the server takes at most, in bytes. */
const maxNoteBytes = 1024;
const maxInstanceBytes = 128;

/** As it is when it happens for the first time. `hostName` names the process where the source does not. */
export function toSeriesEvent(recorded: RecordedEvent, hostName: string): eventsv1.Event {
  const { name, source, annotations, related, reason } = recorded;
  const { component, host = hostName, instance = `${component}-${host}` } = source;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace: namespaceOf(recorded), ...(annotations === undefined ? {} : { annotations }) },
    eventTime: printMicroTime(recorded.atMs),
    regarding: recorded.regarding,
    ...(related === undefined ? {} : { related }),
    // The server insists on one; who had none to tell has told the reason.
    action: recorded.action || reason,
    reason,
    note: cutToBytes(recorded.note, maxNoteBytes),
    reportingController: component,
    reportingInstance: cutToBytes(instance, maxInstanceBytes),
    type: recorded.type,
  };
}

/** What changes when it happens again. */
export function seriesPatch({ series }: eventsv1.Event): object {
  return { series };
}

/** The same for events of one series. The note does not count; a changed object begins a new one. */
export function seriesKey(event: eventsv1.Event): string {
  const { type, action, reason, reportingController, reportingInstance, regarding, related } = event;
  return joinKey([
    type,
    action,
    reason,
    reportingController,
    reportingInstance,
    ...referenceParts(regarding),
    ...referenceParts(related),
  ]);
}

function referenceParts(reference: corev1.ObjectReference = {}): readonly (string | undefined)[] {
  const { apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath } = reference;
  return [apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath];
}

/** As much of the text as fits, whole characters only. */
function cutToBytes(text: string, maxBytes: number): string {
  // No character is less than a byte, and none of this kind more than three.
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
