// What the manager and its controllers must be allowed, as objects for a cluster: from the table of controllers, so that a new row brings its
// own. A cluster whose API server makes Kubernetes' bootstrap roles allows all of it already: every rule is within those (a test compares).
//
// Names begin with kubeloop:, because an object of upstream's name would replace the bootstrap role, and take from others what is only theirs.
// With --use-service-account-credentials each controller speaks as its service account; without it, all speak as the manager, and then bind
// the controllers' roles to the manager as well.
import type { corev1, rbacv1 } from "@kubeloop/core/api";
import { printYaml } from "@kubeloop/core/client";
import { type ControllerDescriptor, controllerDescriptors } from "./controller-descriptors.ts";

export type RbacManifest = corev1.ServiceAccount | rbacv1.ClusterRole | rbacv1.ClusterRoleBinding | rbacv1.RoleBinding;

const namespace = "kube-system";
const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = "rbac.authorization.k8s.io/v1";
const managerName = "kube-controller-manager";

/** Of the process itself, whichever controllers it runs. */
const managerRules: readonly rbacv1.PolicyRule[] = [
  // Shared informers.
  { apiGroups: ["*"], resources: ["*"], verbs: ["list", "watch"] },
  // Leader election, and the events about it.
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: [managerName], verbs: ["get", "update"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  // The service accounts of the controllers, and their tokens.
  { apiGroups: [""], resources: ["serviceaccounts", "serviceaccounts/token"], verbs: ["create"] },
  // Who may read its endpoints.
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];

/** Service accounts, roles and bindings of the manager, then of the controllers that are written, by account. */
export function rbacManifests(
  descriptors: readonly ControllerDescriptor[] = controllerDescriptors,
): readonly RbacManifest[] {
  const rulesByAccount = new Map<string, readonly rbacv1.PolicyRule[]>();
  for (const { serviceAccount = managerName, rules = [] } of descriptors) {
    if (rules.length > 0) rulesByAccount.set(serviceAccount, [...(rulesByAccount.get(serviceAccount) ?? []), ...rules]);
  }
  // Controllers without an account of their own speak as the manager.
  const own = rulesByAccount.get(managerName) ?? [];
  rulesByAccount.delete(managerName);
  const manager: readonly rbacv1.Subject[] = [
    { kind: "User", apiGroup, name: `system:${managerName}` },
    { kind: "ServiceAccount", namespace, name: managerName },
  ];
  return [
    ...grant(managerName, `kubeloop:${managerName}`, [...managerRules, ...own], manager),
    readsAuthorities(manager),
    ...[...rulesByAccount]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([account, rules]) =>
        grant(account, `kubeloop:controller:${account}`, rules, [{ kind: "ServiceAccount", namespace, name: account }]),
      ),
  ];
}

export async function printRbacManifests(): Promise<string> {
  const documents = await Promise.all(rbacManifests().map((manifest) => printYaml(manifest)));
  return documents.join("---\n");
}

function grant(
  account: string,
  name: string,
  rules: readonly rbacv1.PolicyRule[],
  subjects: readonly rbacv1.Subject[],
): readonly RbacManifest[] {
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: account } },
    { apiVersion, kind: "ClusterRole", metadata: { name }, rules },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects,
    },
  ];
}

/** The Role is there in every cluster: it lets read who signs the certificates of clients. */
const readsAuthorities = (subjects: readonly rbacv1.Subject[]): rbacv1.RoleBinding => ({
  apiVersion,
  kind: "RoleBinding",
  metadata: { namespace, name: `kubeloop:${managerName}:authentication-reader` },
  roleRef: { apiGroup, kind: "Role", name: "extension-apiserver-authentication-reader" },
  subjects,
});
