// Metrics an autoscaler goes by: each names one source, of the type it says, and what it should come to.
import {
  type autoscalingv2,
  canonicalQuantity,
  quantitySign,
  validateDns1123Label,
  validatePathSegmentName,
} from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkContainerResourceName } from "../shared/resource-names.ts";
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

export function checkMetrics(metrics: readonly Metric[], place: FaultPlace, options: ReferenceOptions): void {
  for (const [i, metric] of metrics.entries()) checkMetric(metric, place.item(i), options);
}

function checkMetric(metric: Metric, place: FaultPlace, options: ReferenceOptions): void {
  const { type } = metric;
  const expected = types.includes(type) ? sourceOf[type] : undefined;
  if (isAbsent(type)) place.at("type").required("must specify a metric source type");
  if (expected === undefined) place.at("type").notSupported(type, types);
  const present = sources.filter((source) => metric[source] !== undefined);
  const [first] = present;
  if (first !== undefined) checkSource(metric, first, place.at(first), options);
  if (expected === undefined) place.at("type").notSupported(type, types);
  else if (metric[expected] === undefined) {
    place.at(expected).required("must populate information for the given metric source");
  }
  if (present.length === 1) return;
  for (const source of present) {
    if (source !== expected) place.at(source).forbidden("must populate the given metric source only");
  }
}

function checkSource(metric: Metric, source: SourceName, place: FaultPlace, options: ReferenceOptions): void {
  switch (source) {
    case "object":
      if (metric.object !== undefined) checkObject(metric.object, place, options);
      break;
    case "external":
      if (metric.external !== undefined) checkExternal(metric.external, place);
      break;
    case "pods":
      if (metric.pods !== undefined) checkPods(metric.pods, place);
      break;
    case "resource":
      if (metric.resource !== undefined) checkResource(metric.resource, place);
      break;
    case "containerResource":
      if (metric.containerResource !== undefined) checkContainerResource(metric.containerResource, place);
      break;
  }
}

function checkObject(
  { describedObject, metric, target }: autoscalingv2.ObjectMetricSource,
  place: FaultPlace,
  options: ReferenceOptions,
): void {
  checkReference(describedObject, place.at("describedObject"), options);
  checkIdentifier(metric, place.at("metric"));
  checkTarget(target, place.at("target"));
  if (target.value === undefined && target.averageValue === undefined) {
    place.at("target", "averageValue").required("must set either a target value or averageValue");
  }
}

function checkExternal({ metric, target }: autoscalingv2.ExternalMetricSource, place: FaultPlace): void {
  checkIdentifier(metric, place.at("metric"));
  checkTarget(target, place.at("target"));
  const { value, averageValue } = target;
  if (value === undefined && averageValue === undefined) {
    place.at("target", "averageValue").required("must set either a target value for metric or a per-pod target");
  }
  if (value !== undefined && averageValue !== undefined) {
    place.at("target", "value").forbidden("may not set both a target value for metric and a per-pod target");
  }
}

function checkPods({ metric, target }: autoscalingv2.PodsMetricSource, place: FaultPlace): void {
  checkIdentifier(metric, place.at("metric"));
  checkTarget(target, place.at("target"));
  if (target.averageValue === undefined) {
    place.at("target", "averageValue").required("must specify a positive target averageValue");
  }
}

function checkResource({ name, target }: autoscalingv2.ResourceMetricSource, place: FaultPlace): void {
  if (isAbsent(name)) place.at("name").required("must specify a resource name");
  checkResourceTarget(target, place.at("target"));
}

function checkContainerResource(
  { name, container, target }: autoscalingv2.ContainerResourceMetricSource,
  place: FaultPlace,
): void {
  if (isAbsent(name)) place.at("name").required("must specify a resource name");
  else checkContainerResourceName(name, place.at("name"));
  const containerPlace = place.at("container");
  if (isAbsent(container)) containerPlace.required("must specify a container");
  else containerPlace.invalidFor(container, validateDns1123Label(container));
  checkResourceTarget(target, place.at("target"));
}

function checkResourceTarget(target: Target, place: FaultPlace): void {
  checkTarget(target, place);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    place.at("averageUtilization").required("must set either a target raw value or a target utilization");
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    place.at("averageValue").forbidden("may not set both a target raw value and a target utilization");
  }
}

function checkTarget({ type, value, averageValue, averageUtilization }: Target, place: FaultPlace): void {
  const typePlace = place.at("type");
  if (isAbsent(type)) typePlace.required("must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    typePlace.invalid(type, "must be either Utilization, Value, or AverageValue");
  }
  for (const [field, amount] of Object.entries({ value, averageValue })) {
    if (amount !== undefined && quantitySign(amount) <= 0) {
      place.at(field).invalid(canonicalQuantity(amount), "must be positive");
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    place.at("averageUtilization").invalid(averageUtilization, "must be greater than 0");
  }
}

function checkIdentifier({ name }: autoscalingv2.MetricIdentifier, place: FaultPlace): void {
  if (isAbsent(name)) place.at("name").required("must specify a metric name");
  else place.at("name").invalidFor(name, validatePathSegmentName(name));
}
