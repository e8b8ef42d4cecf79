// What an autoscaler does unless told otherwise: at least one pod, eighty percent of the CPU asked for, and how fast it may go up and down
// where anything is said about that.
import type { autoscalingv2 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";

type Spec = Draft<autoscalingv2.HorizontalPodAutoscalerSpec>;
type ScalingRules = Draft<autoscalingv2.HPAScalingRules>;

export function setAutoscalerDefaults(spec: Spec): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric()];
  if (spec.behavior === undefined) return;
  spec.behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
    ...given(spec.behavior.scaleUp),
  };
  spec.behavior.scaleDown = {
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    ...given(spec.behavior.scaleDown),
  };
}

export function cpuMetric(percentage = 80): Draft<autoscalingv2.MetricSpec> {
  const target = { type: "Utilization", averageUtilization: percentage };
  return { type: "Resource", resource: { name: "cpu", target } };
}

function given(rules: ScalingRules = {}): ScalingRules {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => (value ?? null) !== null));
}
