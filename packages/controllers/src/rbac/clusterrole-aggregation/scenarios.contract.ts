// What users see of the clusterrole aggregation.
import type { rbacv1 } from "@kubeloop/core/api";
import { clusterRoles } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";

type Rules = readonly rbacv1.PolicyRule[];
const grant = (verb: string, ...resources: readonly string[]): rbacv1.PolicyRule => ({
  apiGroups: [""],
  resources,
  verbs: [verb],
});
const getPods = grant("get", "pods");
const listPods = grant("list", "pods");
const getSecrets = grant("get", "secrets");

/** Roles of this scenario alone: they are not in its namespace. */
const roleActions = (cluster: ScenarioCluster) => {
  const { client, namespace, signal } = cluster;
  const all = client.resource(clusterRoles);
  const named = (name: string) => `${namespace}:${name}`;
  const label = (value: string) => ({ [`example.com/aggregate-to-${namespace}`]: value });
  const selecting = (...values: readonly string[]) => ({
    clusterRoleSelectors: values.map((value) => ({ matchLabels: label(value) })),
  });
  const create = (name: string, more: Partial<rbacv1.ClusterRole>, labels: object = {}) =>
    all.create(
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: named(name), labels: { ...labels } },
        ...more,
      },
      signal,
    );
  return {
    label,
    selecting,
    /** A role with rules, that others may select. */
    create: (name: string, rules: Rules, labels: object = {}) => create(name, { rules }, labels),
    /** A role that has what others have. */
    aggregate: (name: string, aggregationRule: rbacv1.AggregationRule, rules: Rules = [], labels: object = {}) =>
      create(name, { aggregationRule, rules }, labels),
    patch: (name: string, body: object) => all.patch(named(name), { type: "merge", body }, signal),
    remove: (name: string) => all.delete(named(name), {}, signal),
    get: (name: string) => all.get(named(name), signal),
    untilRules: (name: string, expected: Rules) =>
      cluster.until(`rules of ${name}`, async () => {
        const { rules = [] } = await all.get(named(name), signal);
        expect(rules ?? []).toEqual(expected);
        return true;
      }),
  };
};

export const clusterRoleAggregationScenarios: readonly Scenario[] = [
  {
    name: "an aggregated role has the rules of the roles that it selects, in the order of their names",
    async run(cluster) {
      const { create, aggregate, untilRules, label, selecting } = roleActions(cluster);
      await create("b", [getPods], label("view"));
      await create("a", [listPods], label("view"));
      await create("c", [getSecrets], label("admin"));
      await aggregate("view", selecting("view"));
      await untilRules("view", [listPods, getPods]);
    },
  },
  {
    name: "a role that comes, changes and goes changes the aggregated role",
    async run(cluster) {
      const { create, aggregate, patch, remove, untilRules, label, selecting } = roleActions(cluster);
      await aggregate("view", selecting("view"));
      await create("a", [getPods], label("view"));
      await untilRules("view", [getPods]);
      await patch("a", { rules: [getPods, listPods] });
      await untilRules("view", [getPods, listPods]);
      await create("b", [getSecrets], label("view"));
      await untilRules("view", [getPods, listPods, getSecrets]);
      await remove("a");
      await untilRules("view", [getSecrets]);
    },
  },
  {
    name: "a role that gets and loses the label comes and goes",
    async run(cluster) {
      const { create, aggregate, patch, untilRules, label, selecting } = roleActions(cluster);
      await create("a", [getPods]);
      await create("b", [listPods], label("view"));
      await aggregate("view", selecting("view"));
      await untilRules("view", [listPods]);
      await patch("a", { metadata: { labels: label("view") } });
      await untilRules("view", [getPods, listPods]);
      await patch("b", { metadata: { labels: null } });
      await untilRules("view", [getPods]);
    },
  },
  {
    name: "rules that somebody adds to an aggregated role are taken away again",
    async run(cluster) {
      const { create, aggregate, patch, untilRules, label, selecting } = roleActions(cluster);
      await create("a", [getPods], label("view"));
      await aggregate("view", selecting("view"), [getSecrets]);
      await untilRules("view", [getPods]);
      await patch("view", { rules: [getPods, getSecrets] });
      await untilRules("view", [getPods]);
    },
  },
  {
    name: "rules that two roles have are there once",
    async run(cluster) {
      const { create, aggregate, untilRules, label, selecting } = roleActions(cluster);
      await create("a", [getPods, listPods], label("view"));
      await create("b", [listPods, getSecrets], label("view"));
      await aggregate("view", selecting("view"));
      await untilRules("view", [getPods, listPods, getSecrets]);
    },
  },
  {
    name: "selectors count in their order",
    async run(cluster) {
      const { create, aggregate, patch, untilRules, label, selecting } = roleActions(cluster);
      await create("a", [getPods], label("view"));
      await create("b", [listPods], label("edit"));
      await aggregate("both", selecting("edit", "view"));
      await untilRules("both", [listPods, getPods]);
      await patch("both", { aggregationRule: selecting("view") });
      await untilRules("both", [getPods]);
    },
  },
  {
    name: "a role may be made of roles that are made of others",
    async run(cluster) {
      const { create, aggregate, patch, untilRules, label, selecting } = roleActions(cluster);
      await create("a", [getPods], label("view"));
      await aggregate("view", selecting("view"), [], label("edit"));
      await create("b", [getSecrets], label("edit"));
      await aggregate("edit", selecting("edit"));
      await untilRules("edit", [getSecrets, getPods]);
      await patch("a", { rules: [listPods] });
      await untilRules("edit", [getSecrets, listPods]);
    },
  },
  {
    name: "a role without an aggregationRule keeps the rules it has",
    async run(cluster) {
      const { create, aggregate, patch, get, untilRules, label, selecting } = roleActions(cluster);
      await create("a", [getPods], label("view"));
      await aggregate("view", selecting("view"), [], label("other"));
      await untilRules("view", [getPods]);
      await patch("view", { aggregationRule: null });
      await patch("a", { rules: [listPods] });
      // Another role that is aggregated shows that the change was seen.
      await aggregate("again", selecting("view"));
      await untilRules("again", [listPods]);
      expect((await get("view")).rules).toEqual([getPods]);
    },
  },
];
