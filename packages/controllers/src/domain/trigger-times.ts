// The time of the change that led to a write of endpoints: the annotation endpoints.kubernetes.io/last-change-trigger-time, from which the
// latency of Services is measured.
//
// It is the earliest of the times that have changed since the last look: when the Service was created, when each of its pods became ready or
// not ready. On the first look it is the creation of the Service. Without such a time the annotation is taken away, since an old time would
// count as a long latency.
import { type corev1, findCondition, parseTime, printTime } from "@kubeloop/core/api";

export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** What was seen at one look, for comparison with the next. */
export interface TriggerTimes {
  readonly serviceMs: number | undefined;
  readonly podsMs: ReadonlyMap<string, number>;
}

export function triggerTimesOf({ metadata }: corev1.Service, pods: readonly corev1.Pod[]): TriggerTimes {
  const podsMs = new Map<string, number>();
  for (const pod of pods) {
    const atMs = timeOf(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime);
    if (atMs !== undefined) podsMs.set(pod.metadata.name ?? "", atMs);
  }
  return { serviceMs: timeOf(metadata.creationTimestamp), podsMs };
}

/** The value of the annotation; undefined if there is to be none. `before` is undefined on the first look. */
export function lastChangeTriggerTime(before: TriggerTimes | undefined, now: TriggerTimes): string | undefined {
  const atMs = before === undefined ? now.serviceMs : earliestChange(before, now);
  return atMs === undefined ? undefined : printTime(atMs);
}

function earliestChange(before: TriggerTimes, now: TriggerTimes): number | undefined {
  let earliest: number | undefined;
  const take = (atMs: number | undefined, beforeMs: number | undefined) => {
    if (atMs === undefined || atMs <= (beforeMs ?? Number.NEGATIVE_INFINITY)) return;
    earliest = Math.min(earliest ?? Number.POSITIVE_INFINITY, atMs);
  };
  for (const [name, atMs] of now.podsMs) take(atMs, before.podsMs.get(name));
  take(now.serviceMs, before.serviceMs);
  return earliest;
}

/** Sets the annotation, or takes it away. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _old, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTimeAnnotation]: time };
}

function timeOf(text: string | null | undefined): number | undefined {
  return text === undefined || text === null ? undefined : parseTime(text);
}
