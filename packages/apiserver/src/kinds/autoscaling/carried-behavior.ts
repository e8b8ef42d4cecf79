// An autoscaler's behavior in an annotation, in the words the server uses inside.
import type { autoscalingv2 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import {
  readList,
  readNumber,
  readOptionalNumber,
  readOptionalQuantity,
  readOptionalText,
  readRecord,
  readText,
} from "./json-shape.ts";

type Behavior = autoscalingv2.HorizontalPodAutoscalerBehavior;
type ScalingRules = autoscalingv2.HPAScalingRules;

export function encodeBehavior({ scaleUp, scaleDown }: Behavior): unknown {
  return { ScaleUp: encodeRules(scaleUp), ScaleDown: encodeRules(scaleDown) };
}

function encodeRules(rules: ScalingRules | undefined): unknown {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies:
      rules.policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: rules.tolerance ?? null,
  };
}

/** Undefined where it says nothing. */
export function decodeBehavior(value: unknown): Draft<Behavior> | undefined {
  const { scaleup, scaledown } = readRecord(value);
  const scaleUp = decodeRules(scaleup);
  const scaleDown = decodeRules(scaledown);
  if (scaleUp === undefined && scaleDown === undefined) return undefined;
  return { ...(scaleUp === undefined ? {} : { scaleUp }), ...(scaleDown === undefined ? {} : { scaleDown }) };
}

function decodeRules(value: unknown): Draft<ScalingRules> | undefined {
  if (value === null || value === undefined) return undefined;
  const fields = readRecord(value);
  const given = {
    stabilizationWindowSeconds: readOptionalNumber(fields["stabilizationwindowseconds"]),
    selectPolicy: readOptionalText(fields["selectpolicy"]),
    // An empty list is not filled in by the defaults of the other version: whoever says anything here says all of it.
    policies: readList(fields["policies"], decodePolicy),
    tolerance: readOptionalQuantity(fields["tolerance"]),
  };
  return Object.fromEntries(Object.entries(given).filter(([, held]) => held !== undefined));
}

function decodePolicy(value: unknown): Draft<autoscalingv2.HPAScalingPolicy> {
  const { type, value: amount, periodseconds } = readRecord(value);
  return { type: readText(type), value: readNumber(amount), periodSeconds: readNumber(periodseconds) };
}
