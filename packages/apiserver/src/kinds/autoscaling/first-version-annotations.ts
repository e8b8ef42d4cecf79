// What autoscaling/v1 has no fields for, as text in annotations: metrics in the words of its time, behavior and conditions. What cannot be
// read is passed over, and none of it is ever stored as an annotation.
import type { autoscalingv2, metav1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { own } from "../shared/own.ts";
import { decodeBehavior, encodeBehavior } from "./carried-behavior.ts";
import { decodeConditions, encodeConditions } from "./carried-conditions.ts";
import { decodeMetrics, decodeStatuses, encodeMetrics, encodeStatuses } from "./carried-metrics.ts";
import { ShapeError } from "./json-shape.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";
const metricsKey = `${prefix}metrics`;
const statusesKey = `${prefix}current-metrics`;
const conditionsKey = `${prefix}conditions`;
const behaviorKey = `${prefix}behavior`;
const carriedKeys = [
  metricsKey,
  statusesKey,
  conditionsKey,
  behaviorKey,
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
];

export interface Carried {
  readonly metrics: Draft<autoscalingv2.MetricSpec>[] | undefined;
  readonly currentMetrics: Draft<autoscalingv2.MetricStatus>[] | undefined;
  readonly conditions: Draft<autoscalingv2.HorizontalPodAutoscalerCondition>[] | undefined;
  readonly behavior: Draft<autoscalingv2.HorizontalPodAutoscalerBehavior> | undefined;
}

export function dropCarriedAnnotations(metadata: Draft<metav1.ObjectMeta>): void {
  const { annotations } = metadata;
  if (annotations === undefined) return;
  for (const key of carriedKeys) delete annotations[key];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}

/** The metadata of an autoscaler under the first version; `isCarried` says for which metrics that has no field. */
export function carryInAnnotations(
  { metadata, spec, status }: autoscalingv2.HorizontalPodAutoscaler,
  isCarried: (metric: autoscalingv2.MetricSpec) => boolean,
): metav1.ObjectMeta {
  const metrics = (spec.metrics ?? []).filter(isCarried);
  const statuses = status?.currentMetrics ?? [];
  const conditions = status?.conditions ?? [];
  const carried = {
    ...(metrics.length === 0 ? {} : { [metricsKey]: print(encodeMetrics(metrics)) }),
    ...(statuses.length === 0 ? {} : { [statusesKey]: print(encodeStatuses(statuses)) }),
    ...(spec.behavior === undefined ? {} : { [behaviorKey]: print(encodeBehavior(spec.behavior)) }),
    ...(conditions.length === 0 ? {} : { [conditionsKey]: print(encodeConditions(conditions)) }),
  };
  if (Object.keys(carried).length === 0) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, ...carried } };
}

export function readCarried(annotations: Readonly<Record<string, string>> | undefined): Carried {
  return {
    metrics: read(own(annotations, metricsKey), decodeMetrics),
    currentMetrics: read(own(annotations, statusesKey), decodeStatuses),
    conditions: read(own(annotations, conditionsKey), decodeConditions),
    behavior: read(own(annotations, behaviorKey), decodeBehavior),
  };
}

function read<T>(text: string | undefined, decode: (value: unknown) => T): T | undefined {
  if (text === undefined) return undefined;
  try {
    return decode(JSON.parse(text));
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** As Go prints JSON: safe inside HTML. */
function print(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
