// `kinds/rbac`: roles, and who has them.
import type { KindRules } from "../kind-rules.ts";
import { clusterRoleRules } from "./cluster-role.ts";
import { clusterRoleBindingRules } from "./cluster-role-binding.ts";
import { roleRules } from "./role.ts";
import { roleBindingRules } from "./role-binding.ts";

export const rbacRules: readonly KindRules[] = [clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules];
