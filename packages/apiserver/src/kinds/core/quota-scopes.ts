// Which objects a quota counts: by scopes, all of which must match, or by expressions over them.
import type { corev1 } from "@kubeloop/core/api";
import { type FaultPlace, mostFaultsTold } from "../shared/fault-place.ts";
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

export function checkScopes(spec: Spec, place: FaultPlace): void {
  const named = spec.scopes ?? [];
  const unbounded = unboundedCounts(spec);
  for (const scope of named) {
    if (!Object.hasOwn(scopes, scope)) place.invalid(named, "unsupported scope");
    checkApplies(unbounded.get(scope) ?? 0, named, place);
  }
  checkContradictions(named, spec, place);
}

export function checkScopeSelector(spec: Spec, place: FaultPlace): void {
  const { scopeSelector } = spec;
  if (scopeSelector === undefined) return;
  const expressions = scopeSelector.matchExpressions ?? [];
  const expressionsPlace = place.at("matchExpressions");
  const unbounded = unboundedCounts(spec);
  const shown = shownSelector(scopeSelector);
  for (const expression of expressions) {
    const { scopeName } = expression;
    if (!Object.hasOwn(scopes, scopeName)) expressionsPlace.at("scopeName").invalid(scopeName, "unsupported scope");
    checkApplies(unbounded.get(scopeName) ?? 0, shown, expressionsPlace);
    checkExpression(expression, expressionsPlace);
  }
  const named = expressions.map(({ scopeName }) => scopeName);
  checkContradictions(named, spec, expressionsPlace);
}

/** By scope, how many resources it says nothing about. */
function unboundedCounts({ hard = {} }: Spec): ReadonlyMap<string, number> {
  const names = Object.keys(hard).filter(isStandardQuotaResource);
  return new Map(
    Object.entries(scopes).map(([scope, applies]) => [scope, names.filter((name) => !applies(name)).length]),
  );
}

/** One fault for each resource, as far as they are told: resources times scopes are too many even to count. */
function checkApplies(unbounded: number, shown: unknown, place: FaultPlace): void {
  const made = Math.min(unbounded, mostFaultsTold - place.faultCount);
  for (let i = 0; i < made; i++) place.invalid(shown, "unsupported scope applied to resource");
}

function checkExpression(
  { scopeName, operator, values = [] }: corev1.ScopedResourceSelectorRequirement,
  place: FaultPlace,
): void {
  if (plainScopes.has(scopeName) && operator !== "Exists") {
    const why =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    place.at("operator").invalid(operator, why);
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return;
      place.at("values").required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
      return;
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return;
      place
        .at("values")
        .invalid(values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
      return;
    default:
      place.at("operator").invalid(operator, "not a valid selector operator");
  }
}

function checkContradictions(named: readonly string[], spec: Spec, place: FaultPlace): void {
  for (const pair of contradictions) {
    // The plain scopes are shown, also where those of a selector contradict each other.
    if (pair.every((scope) => named.includes(scope))) place.invalid(spec.scopes ?? null, "conflicting scopes");
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
