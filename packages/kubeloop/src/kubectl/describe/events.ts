// The events of an object at the end of its description, the latest last.
import type { corev1 } from "@kubeloop/core/api";
import { parseTime } from "@kubeloop/core/api";
import type { Description } from "./description.ts";
import { printSince } from "./times.ts";

type Event = corev1.Event;

/** Undefined: they were not asked for. */
export type ShownEvents = readonly Event[] | undefined;

export function writeEvents(to: Description, events: ShownEvents, nowMs: number): void {
  if (events === undefined) return;
  if (events.length === 0) {
    to.line(0, "Events:", "<none>");
    return;
  }
  to.flush();
  to.line(0, "Events:");
  to.line(1, "Type", "Reason", "Age", "From", "Message");
  to.line(1, "----", "------", "----", "----", "-------");
  for (const event of events.toSorted((a, b) => lastSeen(a) - lastSeen(b))) {
    to.line(1, event.type, event.reason, printInterval(event, nowMs), sourceOf(event), messageOf(event));
  }
}

/** Events of the new kind do not say it here, and come first. */
function lastSeen({ lastTimestamp }: Event): number {
  return lastTimestamp === undefined || lastTimestamp === null ? Number.NEGATIVE_INFINITY : parseTime(lastTimestamp);
}

/** `5s`, or `5s (x3 over 2m)` if it came several times. */
function printInterval(event: Event, nowMs: number): string {
  const first = printSince(event.eventTime ?? event.firstTimestamp, nowMs);
  const { series, count = 0 } = event;
  if (series !== undefined)
    return `${printSince(series.lastObservedTime, nowMs)} (x${series.count ?? 0} over ${first})`;
  return count > 1 ? `${printSince(event.lastTimestamp, nowMs)} (x${count} over ${first})` : first;
}

function sourceOf({ source, reportingComponent }: Event): string {
  return source?.component || (reportingComponent ?? "");
}

function messageOf({ message = "", involvedObject }: Event): string {
  const field = involvedObject.fieldPath ?? "";
  return field === "" ? message.trim() : `${field}: ${message.trim()}`;
}
