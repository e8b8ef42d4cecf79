// The rules of the serviceaccount controller: what is missing is created, while the namespace is active.
import { type Action, create, nothing, type Plan, plan } from "@kubeloop/core/contract";
import { serviceAccounts } from "@kubeloop/core/resources";
import type { Observed } from "./observe.ts";

export function decide({ namespace, missing }: Observed): Plan {
  if (namespace.status?.phase !== "Active") return nothing("the namespace is not active");
  if (missing.length === 0) return nothing("all accounts are there");
  const { name = "" } = namespace.metadata;
  // One step: an account that cannot be created keeps no other from being tried.
  return plan(`${missing.length} missing`, [missing.map((account) => createAccount(name, account))]);
}

function createAccount(namespace: string, name: string): Action {
  return create(
    serviceAccounts,
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name } },
    // Somebody else was faster, or the namespace is on its way out: both are as it should be.
    { tolerates: ["AlreadyExists", "NamespaceTerminating"] },
  );
}
