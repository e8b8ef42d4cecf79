// ClusterRole: what may be done anywhere, said by itself or put together from the rules of others.
import { fromLabelSelector, type metav1, type rbacv1, SelectorError } from "@kubeloop/core/api";
import { clusterRoles } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { checkLabelSelector, type SelectorOptions } from "../shared/labels.ts";
import { collectObjectFaults, type ObjectPlaces } from "../shared/object-faults.ts";
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
  at: ObjectPlaces,
  options: SelectorOptions = {},
): void {
  checkPolicyRules(rules, at("rules"), { isNamespaced: false });
  if (aggregationRule === undefined) return;
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const place = at("aggregationRule").at("clusterRoleSelectors");
  if (selectors.length === 0) place.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
  for (const [i, selector] of selectors.entries()) checkRoleSelector(selector, place.item(i), options);
}

function checkRoleSelector(selector: metav1.LabelSelector, place: FaultPlace, options: SelectorOptions): void {
  checkLabelSelector(selector, place, options);
  if (!canSelect(selector)) place.invalid(null, "invalid label selector.");
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
  collectFaults("", (place) => checkLabelSelector(selector, place)).length > 0;
