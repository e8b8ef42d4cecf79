// Metrics an autoscaler goes by: each names one source, of the type it says, and what it should come to.
import {
  type autoscalingv2,
  canonicalQuantity,
  quantitySign,
  validateDns1123Label,
  validatePathSegmentName,
} from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import { checkContainerResourceName } from "../shared/resource-names.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkReference, type ReferenceOptions } from "./check-autoscaler.ts";

type Metric = autoscalingv2.MetricSpec;
type Target = autoscalingv2.MetricTarget;

const sourceOf: Readonly<Record<string, SourceName>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};
type SourceName = "containerResource" | "external" | "object" | "pods" | "resource";
const types = Object.keys(sourceOf);
/** In the order in which they are looked at: only the first one given is checked. */
const sources: readonly SourceName[] = ["object", "external", "pods", "resource", "containerResource"];

export function checkMetrics(metrics: readonly Metric[], fldPath: ValidationPath, options: ReferenceOptions): void {
  for (const [i, metric] of metrics.entries()) checkMetric(metric, fldPath.item(i), options);
}

function checkMetric(metric: Metric, fldPath: ValidationPath, options: ReferenceOptions): void {
  const { type } = metric;
  const expected = types.includes(type) ? sourceOf[type] : undefined;
  if (isAbsent(type)) fldPath.at("type").required("must specify a metric source type");
  if (expected === undefined) fldPath.at("type").notSupported(type, types);
  const present = sources.filter((source) => metric[source] !== undefined);
  const [first] = present;
  if (first !== undefined) checkSource(metric, first, fldPath.at(first), options);
  if (expected === undefined) fldPath.at("type").notSupported(type, types);
  else if (metric[expected] === undefined) {
    fldPath.at(expected).required("must populate information for the given metric source");
  }
  if (present.length === 1) return;
  for (const source of present) {
    if (source !== expected) fldPath.at(source).forbidden("must populate the given metric source only");
  }
}

function checkSource(metric: Metric, source: SourceName, fldPath: ValidationPath, options: ReferenceOptions): void {
  switch (source) {
    case "object":
      if (metric.object !== undefined) checkObject(metric.object, fldPath, options);
      break;
    case "external":
      if (metric.external !== undefined) checkExternal(metric.external, fldPath);
      break;
    case "pods":
      if (metric.pods !== undefined) checkPods(metric.pods, fldPath);
      break;
    case "resource":
      if (metric.resource !== undefined) checkResource(metric.resource, fldPath);
      break;
    case "containerResource":
      if (metric.containerResource !== undefined) checkContainerResource(metric.containerResource, fldPath);
      break;
  }
}

function checkObject(
  { describedObject, metric, target }: autoscalingv2.ObjectMetricSource,
  fldPath: ValidationPath,
  options: ReferenceOptions,
): void {
  checkReference(describedObject, fldPath.at("describedObject"), options);
  checkIdentifier(metric, fldPath.at("metric"));
  checkTarget(target, fldPath.at("target"));
  if (target.value === undefined && target.averageValue === undefined) {
    fldPath.at("target", "averageValue").required("must set either a target value or averageValue");
  }
}

function checkExternal({ metric, target }: autoscalingv2.ExternalMetricSource, fldPath: ValidationPath): void {
  checkIdentifier(metric, fldPath.at("metric"));
  checkTarget(target, fldPath.at("target"));
  const { value, averageValue } = target;
  if (value === undefined && averageValue === undefined) {
    fldPath.at("target", "averageValue").required("must set either a target value for metric or a per-pod target");
  }
  if (value !== undefined && averageValue !== undefined) {
    fldPath.at("target", "value").forbidden("may not set both a target value for metric and a per-pod target");
  }
}

function checkPods({ metric, target }: autoscalingv2.PodsMetricSource, fldPath: ValidationPath): void {
  checkIdentifier(metric, fldPath.at("metric"));
  checkTarget(target, fldPath.at("target"));
  if (target.averageValue === undefined) {
    fldPath.at("target", "averageValue").required("must specify a positive target averageValue");
  }
}

function checkResource({ name, target }: autoscalingv2.ResourceMetricSource, fldPath: ValidationPath): void {
  if (isAbsent(name)) fldPath.at("name").required("must specify a resource name");
  checkResourceTarget(target, fldPath.at("target"));
}

function checkContainerResource(
  { name, container, target }: autoscalingv2.ContainerResourceMetricSource,
  fldPath: ValidationPath,
): void {
  if (isAbsent(name)) fldPath.at("name").required("must specify a resource name");
  else checkContainerResourceName(name, fldPath.at("name"));
  const containerPath = fldPath.at("container");
  if (isAbsent(container)) containerPath.required("must specify a container");
  else containerPath.invalidFor(container, validateDns1123Label(container));
  checkResourceTarget(target, fldPath.at("target"));
}

function checkResourceTarget(target: Target, fldPath: ValidationPath): void {
  checkTarget(target, fldPath);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    fldPath.at("averageUtilization").required("must set either a target raw value or a target utilization");
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    fldPath.at("averageValue").forbidden("may not set both a target raw value and a target utilization");
  }
}

function checkTarget({ type, value, averageValue, averageUtilization }: Target, fldPath: ValidationPath): void {
  const typePath = fldPath.at("type");
  if (isAbsent(type)) typePath.required("must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    typePath.invalid(type, "must be either Utilization, Value, or AverageValue");
  }
  for (const [field, amount] of Object.entries({ value, averageValue })) {
    if (amount !== undefined && quantitySign(amount) <= 0) {
      fldPath.at(field).invalid(canonicalQuantity(amount), "must be positive");
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    fldPath.at("averageUtilization").invalid(averageUtilization, "must be greater than 0");
  }
}

function checkIdentifier({ name }: autoscalingv2.MetricIdentifier, fldPath: ValidationPath): void {
  if (isAbsent(name)) fldPath.at("name").required("must specify a metric name");
  else fldPath.at("name").invalidFor(name, validatePathSegmentName(name));
}
