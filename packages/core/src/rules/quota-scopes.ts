// Which pods a ResourceQuota applies to: all of its scopes must match. A quota without scopes applies to every pod.
import type {
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
      return matchesPriorityClass(scope, pod.spec.priorityClassName ?? "");
    case "CrossNamespacePodAffinity":
      return usesCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

/** The scope "Terminating" means: the pod ends by itself, because it has an activeDeadlineSeconds. */
function hasDeadline(pod: Pick<Pod, "spec">): boolean {
  return (pod.spec.activeDeadlineSeconds ?? -1) >= 0;
}

const operators = new Map<string, SelectorOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function matchesPriorityClass(scope: ScopedResourceSelectorRequirement, priorityClassName: string): boolean {
  if (scope.operator === "Exists") return priorityClassName !== "";
  const operator = operators.get(scope.operator);
  if (operator === undefined)
    throw new SelectorError(`${quote(scope.operator)} is not a valid scope selector operator`);
  const requirement = newRequirement({ key: scope.scopeName, operator, values: scope.values ?? [] });
  return matchesRequirement(requirement, priorityClassName === "" ? {} : { [scope.scopeName]: priorityClassName });
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
