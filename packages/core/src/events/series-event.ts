// The event of events.k8s.io/v1: one object for a series of equal events, with a count and the time of the last.
import { type corev1, type eventsv1, printMicroTime } from "../api/index.ts";
import { joinKey, namespaceOf, type RecordedEvent } from "./recorded-event.ts";

/** The server's limit, in bytes. */
const maxNoteBytes = 1024;
const maxInstanceBytes = 128;

/** Returns the object for the first occurrence. `hostName` is for sources with neither `instance` nor `host`. */
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
    // The server requires an action; without one, the reason is used.
    action: recorded.action || reason,
    reason,
    note: cutToBytes(recorded.note, maxNoteBytes),
    reportingController: component,
    reportingInstance: cutToBytes(instance, maxInstanceBytes),
    type: recorded.type,
  };
}

/** Returns the patch for a further occurrence. */
export function seriesPatch({ series }: eventsv1.Event): object {
  return { series };
}

/** The key of a series. The note is not part of it; the object's resourceVersion is, so a changed object starts a new series. */
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

/** Cuts the text to at most `maxBytes`, at a character boundary. */
function cutToBytes(text: string, maxBytes: number): string {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so a text this short fits without encoding it.
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
