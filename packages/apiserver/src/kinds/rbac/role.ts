// Role: what may be done in one namespace.
import type { rbacv1 } from "@kubeloop/core/api";
import { roles } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkPolicyRules } from "./check-rules.ts";
import { rbacName } from "./names.ts";

export const roleRules: KindRules<rbacv1.Role> = {
  resource: roles,
  metadataOnUpdate: ["whole", "changes"],
  checkName: rbacName,
  createsOnUpdate: true,
  validate: ({ rules }) =>
    collectFaults("rules", (fldPath) => checkPolicyRules(rules, fldPath, { isNamespaced: true })),
};
