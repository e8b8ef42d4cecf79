// What leader election needs beside what the controller itself does: one lease, and to make it.
import type { rbacv1 } from "@kubeloop/core/api";

interface Account {
  readonly namespace: string;
  readonly name: string;
}

export function leaseRole(account: Account): readonly [rbacv1.Role, rbacv1.RoleBinding] {
  const metadata = { namespace: account.namespace, name: `${account.name}-leader-election` };
  const [apiGroup, apiVersion] = ["rbac.authorization.k8s.io", "rbac.authorization.k8s.io/v1"] as const;
  const place = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  const rules = [
    // A create has no name to look at yet.
    { ...place, verbs: ["create"] },
    { ...place, verbs: ["get", "patch", "update"], resourceNames: [account.name] },
  ];
  return [
    { apiVersion, kind: "Role", metadata, rules },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup, kind: "Role", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", ...account }],
    },
  ];
}
