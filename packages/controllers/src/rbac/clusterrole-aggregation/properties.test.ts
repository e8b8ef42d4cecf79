import type { rbacv1 } from "@kubeloop/core/api";
import { clusterRoles } from "@kubeloop/core/resources";
import { findPropertyFaults, newObject, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newClusterRoleAggregationController } from "./controller.ts";
import { ApplySupport } from "./model.ts";

const labels = { to: "view" };
const rules = [{ verbs: ["get"], resources: ["pods"], apiGroups: [""] }];
const one = stored({ ...newObject(clusterRoles, "one", { metadata: { labels } }), rules });
const two = stored({ ...newObject(clusterRoles, "two", { metadata: { labels } }), rules });
const combined = (has: readonly rbacv1.PolicyRule[]) =>
  stored({
    ...newObject(clusterRoles, "combined"),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
    rules: has,
  });

test("the clusterrole aggregation is declared, idempotent, bounded and total", () => {
  const worlds: readonly World[] = [
    [[clusterRoles, [combined([]), one, two]]],
    [[clusterRoles, [combined([{ verbs: ["delete"], resources: ["pods"] }]), one]]],
    [[clusterRoles, [combined(rules)]]],
  ];
  // As on a server without apply: what an apply does is the server's.
  const newModel = () => Object.assign(new ApplySupport(), { canApply: false });
  const controller = { ...newClusterRoleAggregationController(), newModel };
  expect(findPropertyFaults(controller, worlds, { maxActions: 1 })).toEqual([]);
});
