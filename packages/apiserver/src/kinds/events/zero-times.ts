// Times of an event that were given as the first moment of the year 1. Such a time is stored and printed as one that was not given. But upstream
// compares it with Go's zero value, time zone included, and what was read from a body has another time zone: an event with this time counts as one
// that has a time.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";

const eventTimes = ["eventTime", "firstTimestamp", "lastTimestamp"] as const;

export type EventTime = (typeof eventTimes)[number] | "series.lastObservedTime";

/** By the draft of an event in which they stood. */
const zerosOf = new WeakMap<object, Set<EventTime>>();

/** Makes them what is stored, and remembers that they were given. Done twice it changes nothing. */
export function dropZeroTimes(draft: Draft<corev1.Event>): void {
  for (const name of eventTimes) {
    if (!isZero(draft[name])) continue;
    note(draft, name);
    (draft as Record<string, unknown>)[name] = null;
  }
  const { series } = draft;
  if (!isZero(series?.lastObservedTime)) return;
  note(draft, "series.lastObservedTime");
  (series as Record<string, unknown>)["lastObservedTime"] = null;
}

/** Whether this time was given as zero when the event was sent. */
export const isGivenAsZero = (event: corev1.Event, time: EventTime): boolean => zerosOf.get(event)?.has(time) === true;

function note(draft: object, time: EventTime): void {
  const zeros = zerosOf.get(draft) ?? new Set();
  zerosOf.set(draft, zeros.add(time));
}

const isZero = (time: string | null | undefined) => /^0001-01-01T00:00:00(?:\.0{6})?Z$/.test(time ?? "");
