// ClusterRole: what may be done anywhere, said by itself or put together from the rules of others.
import { fromLabelSelector, type metav1, type rbacv1, SelectorError } from "@kubeloop/core/api";
import { clusterRoles } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkLabelSelector, type SelectorOptions } from "../shared/labels.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkPolicyRules } from "./check-rules.ts";
import { rbacName } from "./names.ts";

export const clusterRoleRules: KindRules<rbacv1.ClusterRole> = {
  resource: clusterRoles,
  metadataOnUpdate: ["whole", "changes"],
  checkName: rbacName,
  createsOnUpdate: true,
  validate: (role) => collectObjectFaults((at) => checkClusterRole(role, at)),
  validateUpdate: (role, old) =>
    collectObjectFaults((at) => {
      const selectors = old.aggregationRule?.clusterRoleSelectors ?? [];
      checkClusterRole(role, at, { allowsInvalidValues: selectors.some(hasFaults) });
    }),
};

function checkClusterRole(
  { rules, aggregationRule }: rbacv1.ClusterRole,
  at: ObjectPaths,
  options: SelectorOptions = {},
): void {
  checkPolicyRules(rules, at("rules"), { isNamespaced: false });
  if (aggregationRule === undefined) return;
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const fldPath = at("aggregationRule").at("clusterRoleSelectors");
  if (selectors.length === 0)
    fldPath.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
  for (const [i, selector] of selectors.entries()) checkRoleSelector(selector, fldPath.item(i), options);
}

function checkRoleSelector(selector: metav1.LabelSelector, fldPath: ValidationPath, options: SelectorOptions): void {
  checkLabelSelector(selector, fldPath, options);
  if (!canSelect(selector)) fldPath.invalid(null, "invalid label selector.");
}

function canSelect(selector: metav1.LabelSelector): boolean {
  try {
    fromLabelSelector(selector);
    return true;
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

const hasFaults = (selector: metav1.LabelSelector) =>
  collectFaults("", (fldPath) => checkLabelSelector(selector, fldPath)).length > 0;
