// What a role may allow: verbs on resources, or, in the whole cluster, on paths; never both in one rule.
import type { rbacv1 } from "@kubeloop/core/api";
import type { ValidationPath } from "../shared/validation-path.ts";

export interface RuleOptions {
  readonly isNamespaced: boolean;
}

export function checkPolicyRules(
  rules: readonly rbacv1.PolicyRule[] | undefined,
  fldPath: ValidationPath,
  options: RuleOptions,
): void {
  // Go prints a list that is not there as null.
  for (const [i, rule] of (rules ?? []).entries()) checkPolicyRule(rule, fldPath.item(i), options);
}

function checkPolicyRule(rule: rbacv1.PolicyRule, fldPath: ValidationPath, { isNamespaced }: RuleOptions): void {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs: urls = [] } = rule;
  if ((rule.verbs ?? []).length === 0) fldPath.at("verbs").required("verbs must contain at least one value");
  if (urls.length > 0) {
    const urlsPath = fldPath.at("nonResourceURLs");
    if (isNamespaced) urlsPath.invalid(urls, "namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      urlsPath.invalid(urls, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (apiGroups.length === 0) fldPath.at("apiGroups").required("resource rules must supply at least one api group");
  if (resources.length === 0) fldPath.at("resources").required("resource rules must supply at least one resource");
}
