// Which ClusterRoles select which: found by indexes, so that a change costs what it concerns and not what there is.
import { keyOf, matchesSelector, type metav1, type rbacv1 } from "@kubeloop/core/api";
import { defineIndex, mapped, type Snapshot } from "@kubeloop/core/contract";
import { clusterRoles } from "@kubeloop/core/resources";
import { labelPairs, requiredPairs } from "../../domain/by-label.ts";
import { parseSelector } from "../../domain/selectors.ts";

type ClusterRole = rbacv1.ClusterRole;

/** The API server leaves out what is not set, but sends null where somebody has written that. */
export const isAggregated = ({ aggregationRule }: ClusterRole) =>
  aggregationRule !== undefined && aggregationRule !== null;

const all = "all";
export const aggregatedRoles = defineIndex("aggregated-clusterroles", clusterRoles, (role) =>
  isAggregated(role) ? [all] : [],
);

export const rolesByLabel = defineIndex("clusterroles-by-label", clusterRoles, labelPairs);

/** Wakes the aggregated roles whose selectors match the role, as it is or as it was. */
export const rolesThatSelect = mapped(clusterRoles, ({ metadata }, snapshot) =>
  snapshot
    .byIndex(aggregatedRoles, all)
    .filter(({ aggregationRule }) =>
      (aggregationRule?.clusterRoleSelectors ?? []).some((selector) => isMatch(selector, metadata.labels)),
    )
    .map(keyOf),
);

/** All roles that a selector matches, in no order; undefined for a selector that cannot be read. */
export function selectRoles(snapshot: Snapshot, selector: metav1.LabelSelector): readonly ClusterRole[] | undefined {
  if (parseSelector(selector) === undefined) return undefined;
  return candidates(snapshot, selector).filter(({ metadata }) => isMatch(selector, metadata.labels));
}

/** By one label that they must have; all roles where the selector requires none. */
function candidates(snapshot: Snapshot, selector: metav1.LabelSelector): readonly ClusterRole[] {
  const pairs = requiredPairs(selector);
  // A label has one value, so no role is found twice.
  return pairs?.flatMap((pair) => snapshot.byIndex(rolesByLabel, pair)) ?? snapshot.list(clusterRoles);
}

function isMatch(selector: metav1.LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  const parsed = parseSelector(selector);
  return parsed !== undefined && matchesSelector(parsed, labels);
}
