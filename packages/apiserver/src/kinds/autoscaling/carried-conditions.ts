// Conditions of an autoscaler in an annotation.
import type { autoscalingv2 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { readList, readOptionalText, readOptionalTime, readRecord, readText } from "./json-shape.ts";

type Condition = autoscalingv2.HorizontalPodAutoscalerCondition;

export function encodeConditions(conditions: readonly Condition[]): unknown {
  return conditions.map(({ type, status, lastTransitionTime, reason, message }) => ({
    type,
    status,
    lastTransitionTime: lastTransitionTime ?? null,
    reason,
    message,
  }));
}

export function decodeConditions(value: unknown): Draft<Condition>[] {
  return readList(value, (item) => {
    const fields = readRecord(item);
    const reason = readOptionalText(fields["reason"]);
    const message = readOptionalText(fields["message"]);
    return {
      type: readText(fields["type"]),
      status: readText(fields["status"]),
      lastTransitionTime: readOptionalTime(fields["lasttransitiontime"]) ?? null,
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
    } as Draft<Condition>;
  });
}
