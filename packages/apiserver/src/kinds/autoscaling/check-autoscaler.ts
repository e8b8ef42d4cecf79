// What an autoscaler may be asked for: bounds, what is scaled, by which metrics, and how fast.
import { type autoscalingv2, validatePathSegmentName } from "@kubeloop/core/api";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { checkNonNegativeQuantity } from "../shared/quantities.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkMetrics } from "./check-metrics.ts";

type Spec = autoscalingv2.HorizontalPodAutoscalerSpec;
type Reference = autoscalingv2.CrossVersionObjectReference;

const longestWindow = 3600;
const longestPeriod = 1800;

export interface ReferenceOptions {
  readonly allowsNoGroup?: boolean;
  /** For what is stored already. */
  readonly allowsInvalidVersion?: boolean;
}

export function checkAutoscalerSpec(spec: Spec, fldPath: ValidationPath, old?: Spec): void {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  const least = old?.minReplicas === 0 ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < least) {
    fldPath.at("minReplicas").invalid(minReplicas, `must be greater than or equal to ${least}`);
  }
  const maxPath = fldPath.at("maxReplicas");
  if (maxReplicas === 0) maxPath.required("must be set and greater than 0");
  else if (maxReplicas < 0) maxPath.invalid(maxReplicas, "must be greater than or equal to 1");
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    maxPath.invalid(maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  checkReference(scaleTargetRef, fldPath.at("scaleTargetRef"), targetOptions(scaleTargetRef, old?.scaleTargetRef));
  const metricsPath = fldPath.at("metrics");
  checkMetrics(metrics, metricsPath, metricOptions(old?.metrics));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    metricsPath.forbidden("must specify at least one Object or External metric to support scaling to zero replicas");
  }
  checkScalingRules(behavior?.scaleUp, fldPath.at("behavior", "scaleUp"));
  checkScalingRules(behavior?.scaleDown, fldPath.at("behavior", "scaleDown"));
}

function targetOptions(target: Reference, old: Reference | undefined): ReferenceOptions {
  if (old !== undefined && old.apiVersion === target.apiVersion && old.kind === target.kind) {
    return { allowsInvalidVersion: true };
  }
  return { allowsNoGroup: target.kind === "ReplicationController" };
}

function metricOptions(old: readonly autoscalingv2.MetricSpec[] = []): ReferenceOptions {
  const allowsInvalidVersion = old.some(
    ({ object }) => object !== undefined && versionFault(object.describedObject, { allowsNoGroup: true }) !== undefined,
  );
  return { allowsNoGroup: true, allowsInvalidVersion };
}

export function checkReference(reference: Reference, fldPath: ValidationPath, options: ReferenceOptions): void {
  for (const field of ["kind", "name"] as const) {
    const text = reference[field];
    if (isAbsent(text)) fldPath.at(field).required();
    else fldPath.at(field).invalidFor(text, validatePathSegmentName(text));
  }
  const fault = versionFault(reference, options);
  if (fault !== undefined) fldPath.at("apiVersion").invalid(reference.apiVersion ?? "", fault);
}

function versionFault({ apiVersion = "" }: Reference, options: ReferenceOptions): string | undefined {
  if (options.allowsInvalidVersion === true) return undefined;
  const parts = apiVersion === "/" ? [] : apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return hasGroup || options.allowsNoGroup === true ? undefined : "apiVersion must specify API group";
}

function checkScalingRules(rules: autoscalingv2.HPAScalingRules | undefined, fldPath: ValidationPath): void {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const windowPath = fldPath.at("stabilizationWindowSeconds");
  if (window < 0) windowPath.invalid(window, "must be greater than or equal to zero");
  if (window > longestWindow) windowPath.invalid(window, `must be less than or equal to ${longestWindow}`);
  checkOptionalChoice(selectPolicy, fldPath.at("selectPolicy"), ["Disabled", "Max", "Min"]);
  const policiesPath = fldPath.at("policies");
  if (policies.length === 0) policiesPath.required("must specify at least one Policy");
  for (const [i, policy] of policies.entries()) checkScalingPolicy(policy, policiesPath.item(i));
  if (tolerance !== undefined) checkNonNegativeQuantity(tolerance, fldPath.at("tolerance"));
}

function checkScalingPolicy(
  { type, value, periodSeconds }: autoscalingv2.HPAScalingPolicy,
  fldPath: ValidationPath,
): void {
  checkOptionalChoice(type, fldPath.at("type"), ["Percent", "Pods"]);
  if (value <= 0) fldPath.at("value").invalid(value, "must be greater than zero");
  const periodPath = fldPath.at("periodSeconds");
  if (periodSeconds <= 0) periodPath.invalid(periodSeconds, "must be greater than zero");
  if (periodSeconds > longestPeriod) {
    periodPath.invalid(periodSeconds, `must be less than or equal to ${longestPeriod}`);
  }
}
