// An event as a row: when it was last and first seen, of what, from whom, how often.
import type { corev1 } from "@kubeloop/core/api";
import type { PrintContext } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";

export function printEvent(event: corev1.Event, { nowMs }: PrintContext): readonly unknown[] {
  const { involvedObject, series, source } = event;
  const ageOf = (time: string | null | undefined) => printAge(isAbsent(time) ? undefined : time, nowMs);
  const first = isAbsent(event.firstTimestamp) ? ageOf(event.eventTime) : ageOf(event.firstTimestamp);
  const last = isAbsent(event.lastTimestamp) ? first : ageOf(event.lastTimestamp);
  const kind = (involvedObject.kind ?? "").toLowerCase();
  const from = [source?.component || event.reportingComponent, source?.host || event.reportingInstance];
  return [
    series === undefined ? last : ageOf(series.lastObservedTime),
    event.type ?? "",
    event.reason ?? "",
    isAbsent(involvedObject.name) ? kind : `${kind}/${involvedObject.name}`,
    involvedObject.fieldPath ?? "",
    isAbsent(from[1]) ? (from[0] ?? "") : from.join(", "),
    (event.message ?? "").trim(),
    first,
    // An event recorded once need not count.
    series === undefined ? event.count || 1 : (series.count ?? 0),
    event.metadata.name,
  ];
}
