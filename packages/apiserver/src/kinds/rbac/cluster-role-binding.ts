// ClusterRoleBinding: who has a role everywhere.
import type { rbacv1 } from "@kubeloop/core/api";
import { clusterRoleBindings } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { checkBinding, checkBindingUpdate, setBindingDefaults } from "./check-binding.ts";
import { rbacName } from "./names.ts";
import { printBinding } from "./print-binding.ts";

const options = { isNamespaced: false };

export const clusterRoleBindingRules: KindRules<rbacv1.ClusterRoleBinding> = {
  resource: clusterRoleBindings,
  metadataOnUpdate: ["whole", "changes"],
  checkName: rbacName,
  createsOnUpdate: true,
  defaults: setBindingDefaults,
  validate: (binding) => collectObjectFaults((at) => checkBinding(binding, at, options)),
  validateUpdate: (binding, old) => collectObjectFaults((at) => checkBindingUpdate(binding, old, at, options)),
  printRow: printBinding,
};
