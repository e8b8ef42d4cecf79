// Which objects a quota counts: by scopes, all of which must match, or by expressions over them.
import type { corev1 } from "@kubeloop/core/api";
import { mostFaultsReported, type ValidationPath } from "../shared/validation-path.ts";
import { isClaimResource, isPodResource, isStandardQuotaResource } from "./quota-resources.ts";

type Spec = corev1.ResourceQuotaSpec;

const isPodCount = (name: string) => name === "pods";

/** What each scope can bound. */
const scopes: Readonly<Record<string, (resource: string) => boolean>> = {
  Terminating: isPodResource,
  NotTerminating: isPodResource,
  BestEffort: isPodCount,
  NotBestEffort: isPodResource,
  PriorityClass: isPodResource,
  CrossNamespacePodAffinity: isPodResource,
  VolumeAttributesClass: isClaimResource,
};

/** There is nothing to compare with: it holds or it does not. */
const plainScopes = new Set([
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
]);
const contradictions = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

export function checkScopes(spec: Spec, fldPath: ValidationPath): void {
  const named = spec.scopes ?? [];
  const unbounded = unboundedCounts(spec);
  for (const scope of named) {
    if (!Object.hasOwn(scopes, scope)) fldPath.invalid(named, "unsupported scope");
    checkApplies(unbounded.get(scope) ?? 0, named, fldPath);
  }
  checkContradictions(named, spec, fldPath);
}

export function checkScopeSelector(spec: Spec, fldPath: ValidationPath): void {
  const { scopeSelector } = spec;
  if (scopeSelector === undefined) return;
  const expressions = scopeSelector.matchExpressions ?? [];
  const expressionsPath = fldPath.at("matchExpressions");
  const unbounded = unboundedCounts(spec);
  const shown = shownSelector(scopeSelector);
  for (const expression of expressions) {
    const { scopeName } = expression;
    if (!Object.hasOwn(scopes, scopeName)) expressionsPath.at("scopeName").invalid(scopeName, "unsupported scope");
    checkApplies(unbounded.get(scopeName) ?? 0, shown, expressionsPath);
    checkExpression(expression, expressionsPath);
  }
  const named = expressions.map(({ scopeName }) => scopeName);
  checkContradictions(named, spec, expressionsPath);
}

/** By scope, how many resources it says nothing about. */
function unboundedCounts({ hard = {} }: Spec): ReadonlyMap<string, number> {
  const names = Object.keys(hard).filter(isStandardQuotaResource);
  return new Map(
    Object.entries(scopes).map(([scope, applies]) => [scope, names.filter((name) => !applies(name)).length]),
  );
}

/** One fault for each resource, as far as they are reported: resources times scopes are too many even to count. */
function checkApplies(unbounded: number, shown: unknown, fldPath: ValidationPath): void {
  const made = Math.min(unbounded, mostFaultsReported - fldPath.faultCount);
  for (let i = 0; i < made; i++) fldPath.invalid(shown, "unsupported scope applied to resource");
}

function checkExpression(
  { scopeName, operator, values = [] }: corev1.ScopedResourceSelectorRequirement,
  fldPath: ValidationPath,
): void {
  if (plainScopes.has(scopeName) && operator !== "Exists") {
    const why =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    fldPath.at("operator").invalid(operator, why);
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return;
      fldPath.at("values").required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
      return;
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return;
      fldPath
        .at("values")
        .invalid(values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
      return;
    default:
      fldPath.at("operator").invalid(operator, "not a valid selector operator");
  }
}

function checkContradictions(named: readonly string[], spec: Spec, fldPath: ValidationPath): void {
  for (const pair of contradictions) {
    // The plain scopes are shown, also where those of a selector contradict each other.
    if (pair.every((scope) => named.includes(scope))) fldPath.invalid(spec.scopes ?? null, "conflicting scopes");
  }
}

/** As the server itself holds it. */
function shownSelector({ matchExpressions = [] }: corev1.ScopeSelector): unknown {
  const shown = matchExpressions.map(({ scopeName, operator, values }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values ?? null,
  }));
  return { MatchExpressions: shown };
}
