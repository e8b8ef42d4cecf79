// Roles and bindings.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

/** In every way a change can be that is looked at for all kinds. */
const wrongMetadata = {
  metadata: { generateName: "A_b", labels: { "a b": "c" }, finalizers: ["x"], deletionGracePeriodSeconds: 5 },
};

const group = "/apis/rbac.authorization.k8s.io/v1";
const apiVersion = "rbac.authorization.k8s.io/v1";
const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const rules = {
  "without rules": { rules: undefined },
  "without verbs": { rules: [{ ...rule, verbs: [] }] },
  "without anything": { rules: [{}] },
  "with a path": { rules: [{ nonResourceURLs: ["/healthz"], verbs: ["get"] }] },
  "with a path and resources": { rules: [{ ...rule, nonResourceURLs: ["/healthz"] }] },
  "with names of resources and a path": { rules: [{ nonResourceURLs: ["/x"], resourceNames: ["a"], verbs: ["*"] }] },
};
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const bindings = {
  "without a role": { roleRef: undefined },
  "of nothing": { roleRef: { apiGroup: "x", kind: "Pod", name: "" } },
  "of a name that is no path": { roleRef: { name: "a/b" } },
  "to a user": { subjects: [{ kind: "User", name: "a" }] },
  "to a group": { subjects: [{ kind: "Group", name: "a" }] },
  "to an account": { subjects: [{ kind: "ServiceAccount", name: "a", namespace: "b" }] },
  "to an account of nowhere": { subjects: [{ kind: "ServiceAccount", name: "a" }] },
  "to nobody": { subjects: [{}] },
  "to nobody of some kind": { subjects: [{ kind: "User" }, { kind: "ServiceAccount" }, { kind: "Group", name: "" }] },
  "to strangers": {
    subjects: [
      { kind: "Nonsense", name: "a" },
      { kind: "User", name: "a", apiGroup: "x" },
      { kind: "ServiceAccount", name: "A_b", namespace: "c", apiGroup: "x" },
    ],
  },
};
const bindingChanges = {
  "with metadata that is wrong": wrongMetadata,
  "given another role": { roleRef: { name: "edit" } },
  "given to another": { subjects: [{ kind: "User", name: "c" }] },
};
const subjects = [
  { kind: "User", name: "a" },
  { kind: "User", name: "b" },
  { kind: "Group", name: "c" },
  { kind: "ServiceAccount", name: "d", namespace: "e" },
];

export const rbacScenes: readonly Scene[] = [
  kindScene({
    name: "roles",
    path: `${group}/namespaces/{ns}/roles`,
    object: { kind: "Role", apiVersion, metadata: { name: "r" }, rules: [rule] },
    others: {
      ...rules,
      "a name with a colon": { metadata: { name: "system:a" } },
      "a bad prefix": { metadata: { name: "", generateName: "a/gen-" } },
    },
    changes: {
      "with metadata that is wrong": wrongMetadata,
      "given a bad rule": { rules: [{ verbs: ["get"] }] },
      "given a rule": { rules: [rule, rule] },
    },
    badName: "a%b",
  }),
  kindScene({
    name: "cluster roles",
    path: `${group}/clusterroles`,
    object: { kind: "ClusterRole", apiVersion, metadata: { name: "{ns}-r" }, rules: [rule] },
    others: {
      ...rules,
      aggregated: { rules: undefined, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
      "aggregated from nothing": { aggregationRule: {} },
      "aggregated badly": {
        aggregationRule: {
          clusterRoleSelectors: [
            { matchLabels: { "a b": "c" } },
            { matchExpressions: [{ key: "a", operator: "Nonsense" }] },
            { matchExpressions: [{ key: "a", operator: "In" }] },
            { matchExpressions: [{ key: "a", operator: "In", values: ["a b"] }] },
          ],
        },
      },
    },
    changes: { "with metadata that is wrong": wrongMetadata, "given a bad rule": { rules: [{ verbs: ["get"] }] } },
    badName: "a%b",
  }),
  kindScene({
    name: "role bindings",
    path: `${group}/namespaces/{ns}/rolebindings`,
    object: { kind: "RoleBinding", apiVersion, metadata: { name: "b" }, roleRef, subjects },
    others: { ...bindings, "of a role of the namespace": { roleRef: { kind: "Role" } } },
    changes: bindingChanges,
    badName: "..",
  }),
  kindScene({
    name: "cluster role bindings",
    path: `${group}/clusterrolebindings`,
    object: { kind: "ClusterRoleBinding", apiVersion, metadata: { name: "{ns}-b" }, roleRef, subjects },
    others: { ...bindings, "of a role of a namespace": { roleRef: { kind: "Role" } } },
    changes: bindingChanges,
    badName: ".",
  }),
];
