// Autoscalers in tables: what they scale, where their metrics are and where they should be.
import type { autoscalingv2 } from "@kubeloop/core/api";
import type { PrintContext } from "../kind-rules.ts";
import { printAge } from "../shared/print-age.ts";

type Metric = autoscalingv2.MetricSpec;
type Status = autoscalingv2.MetricStatus | undefined;
type Current = autoscalingv2.MetricValueStatus | undefined;

const mostMetrics = 2;
const unknown = "<unknown>";
/** How Go prints an amount that is not there. */
const noAmount = "<nil>";

export function printAutoscaler(
  { metadata, spec, status }: autoscalingv2.HorizontalPodAutoscaler,
  { nowMs }: PrintContext,
): unknown[] {
  const { scaleTargetRef: target, metrics = [], minReplicas, maxReplicas } = spec;
  return [
    metadata.name,
    `${target.kind}/${target.name}`,
    printMetrics(metrics, status?.currentMetrics ?? []),
    minReplicas === undefined ? "<unset>" : String(minReplicas),
    maxReplicas,
    status?.currentReplicas ?? 0,
    printAge(metadata.creationTimestamp, nowMs),
  ];
}

function printMetrics(metrics: readonly Metric[], statuses: readonly autoscalingv2.MetricStatus[]): string {
  if (metrics.length === 0) return "<none>";
  const printed = metrics.slice(0, mostMetrics).map((metric, i) => printMetric(metric, statuses[i]));
  const more = metrics.length - mostMetrics;
  return more > 0 ? `${printed.join(", ")} + ${more} more...` : printed.join(", ");
}

function printMetric(metric: Metric, status: Status): string {
  const { type, external, object, pods, resource, containerResource } = metric;
  if (type === "External") return printAmount(external?.target, status?.external?.current);
  if (type === "Object") return printAmount(object?.target, status?.object?.current);
  if (type === "Pods") {
    const current = status?.pods === undefined ? unknown : (status.pods.current.averageValue ?? noAmount);
    return `${current}/${pods?.target.averageValue ?? noAmount}`;
  }
  if (type === "Resource") return printResource(resource, status?.resource?.current);
  if (type === "ContainerResource") return printResource(containerResource, status?.containerResource?.current);
  return "<unknown type>";
}

function printAmount(target: autoscalingv2.MetricTarget | undefined, current: Current): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  const now = current === undefined ? unknown : (current.value ?? noAmount);
  return `${now}/${target?.value ?? noAmount}`;
}

function printResource(source: autoscalingv2.ResourceMetricSource | undefined, current: Current): string {
  const { name = "", target } = source ?? {};
  if (target?.averageValue !== undefined) {
    const now = current === undefined ? unknown : (current.averageValue ?? noAmount);
    return `${name}: ${now}/${target.averageValue}`;
  }
  const percent = (share: number | undefined, otherwise: string) => (share === undefined ? otherwise : `${share}%`);
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, "<auto>")}`;
}
