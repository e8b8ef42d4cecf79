// What the clusterrole aggregation looks at for one key: the role, and the roles that each of its selectors matches.
import type { rbacv1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { clusterRoles } from "@kubeloop/core/resources";
import { isAggregated, selectRoles } from "./indexes.ts";
import type { ApplySupport } from "./model.ts";

export interface Observed {
  readonly role: rbacv1.ClusterRole;
  /** By selector, in their order; undefined for a selector that cannot be read. */
  readonly selected: readonly (readonly rbacv1.ClusterRole[] | undefined)[];
  /** Whether the server has server-side apply, as far as is known. */
  readonly canApply: boolean;
}

/** Undefined when there is no such role (any more), or it is written by hand. */
export function observe(key: string, { snapshot, model }: View<ApplySupport>): Observed | undefined {
  const role = snapshot.get(clusterRoles, key);
  if (role === undefined || !isAggregated(role)) return undefined;
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  return { role, selected: selectors.map((each) => selectRoles(snapshot, each)), canApply: model.canApply };
}
