// Autoscalers under autoscaling/v1, which knows one metric, the CPU. What it has no field for it carries in annotations, both ways, so that
// nothing is lost.
import type { autoscalingv1, autoscalingv2 } from "@kubeloop/core/api";
import { horizontalPodAutoscalersV1 } from "@kubeloop/core/resources";
import type { Draft, ServedVersion } from "../kind-rules.ts";
import { givenFields } from "../shared/given-fields.ts";
import { cpuMetric } from "./defaults.ts";
import { carryInAnnotations, dropCarriedAnnotations, readCarried } from "./first-version-annotations.ts";

type Stored = autoscalingv2.HorizontalPodAutoscaler;
type Served = autoscalingv1.HorizontalPodAutoscaler;

export const firstVersion: ServedVersion<Stored> = {
  resource: horizontalPodAutoscalersV1,
  fromStored: toFirstVersion,
  toStored: (draft) => fromFirstVersion(draft as Draft<Served>),
  defaults: (draft) => {
    (draft as Draft<Served>).spec.minReplicas ??= 1;
  },
};

export function toFirstVersion(stored: Stored): Served {
  const { scaleTargetRef, minReplicas, maxReplicas, metrics = [] } = stored.spec;
  const cpu = metrics.find(isCpuShare);
  return {
    ...stored,
    apiVersion: "autoscaling/v1",
    metadata: carryInAnnotations(stored, (metric) => !isCpuShare(metric)),
    spec: givenFields({
      scaleTargetRef,
      minReplicas,
      maxReplicas,
      targetCPUUtilizationPercentage: cpu?.resource?.target.averageUtilization,
    }),
    status: toFirstStatus(stored.status),
  };
}

function toFirstStatus(status: Stored["status"]): NonNullable<Served["status"]> {
  const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas = 0, currentMetrics } = status ?? {};
  // The last one counts where there are several.
  const cpu = (currentMetrics ?? []).findLast(({ type, resource }) => {
    return type === "Resource" && resource?.name === "cpu" && resource.current.averageUtilization !== undefined;
  });
  return givenFields({
    observedGeneration,
    lastScaleTime,
    currentReplicas,
    desiredReplicas,
    currentCPUUtilizationPercentage: cpu?.resource?.current.averageUtilization,
  });
}

export function fromFirstVersion({ metadata, spec, status, ...rest }: Draft<Served>): Draft<Stored> {
  const { scaleTargetRef, minReplicas, maxReplicas, targetCPUUtilizationPercentage: share } = spec;
  const carried = readCarried(metadata.annotations);
  dropCarriedAnnotations(metadata);
  const metrics = [...(carried.metrics ?? []), ...(share === undefined ? [] : [cpuMetric(share)])];
  return {
    ...rest,
    apiVersion: "autoscaling/v2",
    metadata,
    spec: givenFields({
      scaleTargetRef,
      minReplicas,
      maxReplicas,
      metrics: metrics.length === 0 ? [cpuMetric()] : metrics,
      behavior: carried.behavior,
    }),
    status: fromFirstStatus(status, carried),
  };
}

function fromFirstStatus(
  status: Draft<Served>["status"],
  { currentMetrics, conditions }: ReturnType<typeof readCarried>,
): NonNullable<Draft<Stored>["status"]> {
  const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas = 0 } = status ?? {};
  const share = status?.currentCPUUtilizationPercentage;
  const current = { averageUtilization: share };
  const cpu = share === undefined ? null : [{ type: "Resource", resource: { name: "cpu", current } }];
  return givenFields({
    observedGeneration,
    lastScaleTime,
    currentReplicas: currentReplicas === 0 ? undefined : currentReplicas,
    desiredReplicas,
    currentMetrics: currentMetrics ?? cpu,
    conditions,
  });
}

const isCpuShare = ({ type, resource }: autoscalingv2.MetricSpec) =>
  type === "Resource" && resource?.name === "cpu" && resource.target.averageUtilization !== undefined;
