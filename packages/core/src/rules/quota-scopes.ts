// Which pods and PersistentVolumeClaims a ResourceQuota applies to: all of its scopes must match. A quota without scopes applies to every
// object.
import type {
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
} from "../api/generated/types/core/v1.ts";
import { matchesRequirement, newRequirement, SelectorError, type SelectorOperator } from "../api/label-selector.ts";
import { quote } from "../api/quote.ts";
import { podQosClass } from "./pod-qos.ts";

/** Returns scopes and scope selectors in one form: a scope by name is a selector with the operator Exists. */
export function quotaScopes(quota: Pick<ResourceQuota, "spec">): readonly ScopedResourceSelectorRequirement[] {
  const { scopes = [], scopeSelector } = quota.spec ?? {};
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
}

/** Throws a SelectorError for a scope selector that the API server would have rejected. */
export function matchesQuotaScopes(quota: Pick<ResourceQuota, "spec">, pod: Pick<Pod, "spec" | "status">): boolean {
  return quotaScopes(quota).every((scope) => matchesQuotaScope(scope, pod));
}

export function matchesQuotaScope(
  scope: ScopedResourceSelectorRequirement,
  pod: Pick<Pod, "spec" | "status">,
): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return podQosClass(pod) === "BestEffort";
    case "NotBestEffort":
      return podQosClass(pod) !== "BestEffort";
    case "PriorityClass":
      return matchesNames(scope, pod.spec.priorityClassName ? [pod.spec.priorityClassName] : []);
    case "CrossNamespacePodAffinity":
      return usesCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

/** The only scope of claims is VolumeAttributesClass. Throws a SelectorError as `matchesQuotaScope`. */
export function matchesClaimQuotaScope(
  scope: ScopedResourceSelectorRequirement,
  claim: PersistentVolumeClaim,
): boolean {
  return scope.scopeName === "VolumeAttributesClass" && matchesNames(scope, [...volumeAttributesClassesOf(claim)]);
}

/** Returns the VolumeAttributesClasses that a claim has, wants, or is being changed to. */
export function volumeAttributesClassesOf({ spec, status }: PersistentVolumeClaim): ReadonlySet<string> {
  const { volumeAttributesClassName: wanted = "" } = spec ?? {};
  const { currentVolumeAttributesClassName: current = "", modifyVolumeStatus } = status ?? {};
  const { targetVolumeAttributesClassName: target = "" } = modifyVolumeStatus ?? {};
  return new Set([wanted, current, target].filter((name) => name !== ""));
}

/** The scope "Terminating" means: the pod ends by itself, because it has an activeDeadlineSeconds. */
export function hasDeadline(pod: Pick<Pod, "spec">): boolean {
  return (pod.spec.activeDeadlineSeconds ?? -1) >= 0;
}

const operators = new Map<string, SelectorOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** Whether one of the names matches; without a name, whether its absence does. */
function matchesNames(scope: ScopedResourceSelectorRequirement, names: readonly string[]): boolean {
  if (scope.operator === "Exists") return names.length > 0;
  const operator = operators.get(scope.operator);
  if (operator === undefined)
    throw new SelectorError(`${quote(scope.operator)} is not a valid scope selector operator`);
  const requirement = newRequirement({ key: scope.scopeName, operator, values: scope.values ?? [] });
  if (names.length === 0) return matchesRequirement(requirement, {});
  return names.some((name) => matchesRequirement(requirement, { [scope.scopeName]: name }));
}

function usesCrossNamespaceAffinity(pod: Pick<Pod, "spec">): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  return [podAffinity, podAntiAffinity].some(
    (affinity) =>
      affinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(isCrossNamespace) === true ||
      affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) =>
        isCrossNamespace(podAffinityTerm),
      ) === true,
  );
}

function isCrossNamespace(term: PodAffinityTerm): boolean {
  return (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined;
}
