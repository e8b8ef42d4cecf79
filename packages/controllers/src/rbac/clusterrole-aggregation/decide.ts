// The rules of the clusterrole aggregation: which rules the role should have, and how they get there.
import type { rbacv1 } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import { apply, type Decision, editObject, nothing, plan, unfinished } from "@kubeloop/core/contract";
import { clusterRoles } from "@kubeloop/core/resources";
import type { Observed } from "./observe.ts";

type PolicyRule = rbacv1.PolicyRule;

/** The manager that the server records: upstream's, so that a cluster can change hands. */
const fieldManager = "clusterrole-aggregation-controller";

export function decide({ role, selected, canApply }: Observed): Decision {
  const readable = selected.filter((roles) => roles !== undefined);
  // What a selector means that cannot be read is not known: to leave it out would take rules away.
  if (readable.length < selected.length) {
    return unfinished(
      "a selector cannot be read",
      new KubeloopError(`a selector of ClusterRole ${role.metadata.name} cannot be read`, { reason: "Invalid" }),
    );
  }
  const rules = aggregate(role, readable);
  if (areSame(rules, role.rules ?? [])) return nothing("has its rules");
  if (!canApply) return plan("writes its rules", [[editObject(clusterRoles, role, { ...role, rules })]]);
  const { name = "", uid } = role.metadata;
  // An empty list too: left out, rules that somebody else has written would stay.
  const applied = { metadata: { name, ...(uid === undefined ? {} : { uid }) }, rules };
  return plan("applies its rules", [
    [apply(clusterRoles, applied, { fieldManager, force: true, tolerates: ["UnsupportedMediaType"] })],
  ]);
}

function aggregate(
  role: rbacv1.ClusterRole,
  selected: readonly (readonly rbacv1.ClusterRole[])[],
): readonly PolicyRule[] {
  const byText = new Map<string, PolicyRule>();
  for (const roles of selected) {
    for (const { metadata, rules } of roles.toSorted(byName)) {
      if (metadata.name === role.metadata.name) continue;
      // In the place of the first of them.
      for (const rule of rules ?? []) byText.set(textOf(rule), rule);
    }
  }
  return [...byText.values()];
}

/** The same text for the same rule: a list that is empty is one that is not there. */
function textOf({ apiGroups, nonResourceURLs, resourceNames, resources, verbs }: PolicyRule): string {
  const lists = [apiGroups, nonResourceURLs, resourceNames, resources, verbs];
  return JSON.stringify(lists.map((list) => list ?? []));
}

const areSame = (some: readonly PolicyRule[], others: readonly PolicyRule[]) =>
  some.length === others.length && some.every((rule, i) => textOf(rule) === textOf(others[i] as PolicyRule));

function byName({ metadata: a }: rbacv1.ClusterRole, { metadata: b }: rbacv1.ClusterRole): number {
  const [one = "", other = ""] = [a.name, b.name];
  return one < other ? -1 : one > other ? 1 : 0;
}
