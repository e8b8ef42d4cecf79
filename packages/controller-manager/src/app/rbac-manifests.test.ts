import { readFileSync } from "node:fs";
import type { rbacv1 } from "@kubeloop/core/api";
import { parseJsonOrYaml } from "@kubeloop/core/client";
import { describe, expect, test } from "vitest";
import { controllerDescriptors } from "./controller-descriptors.ts";
import { printRbacManifests, rbacManifests } from "./rbac-manifests.ts";

type Roles = Readonly<Record<string, readonly rbacv1.PolicyRule[]>>;
const upstream: Roles = JSON.parse(
  readFileSync(new URL("../../../controllers/src/upstream-roles.facts.json", import.meta.url), "utf8"),
);

/** "patch pods. named x", one for each group, resource, verb and name. */
const grantsOf = (rules: readonly rbacv1.PolicyRule[] = []): readonly string[] =>
  rules.flatMap(({ apiGroups = [], resources = [], verbs, resourceNames = [""] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => resourceNames.map((name) => `${verb} ${resource}.${group} ${name}`)),
      ),
    ),
  );

const roles = rbacManifests().filter((manifest): manifest is rbacv1.ClusterRole => manifest.kind === "ClusterRole");
const kindsOf = (account: string) =>
  rbacManifests()
    .filter(({ metadata }) => metadata.name?.split(":").at(-1) === account)
    .map(({ kind }) => kind);

test.each(roles)("the rules of $metadata.name are within upstream's bootstrap role", ({ metadata, rules }) => {
  const allowed = new Set(grantsOf(upstream[(metadata.name ?? "").replace("kubeloop:", "system:")]));
  expect(allowed.size).toBeGreaterThan(0);
  expect(grantsOf(rules).length).toBeGreaterThan(0);
  expect(grantsOf(rules).filter((grant) => !allowed.has(grant))).toEqual([]);
});

describe("there are an account, a role and a binding", () => {
  const accounts = controllerDescriptors.flatMap(({ start, serviceAccount }) =>
    start === undefined || serviceAccount === undefined ? [] : [serviceAccount],
  );
  test.each(["kube-controller-manager", ...accounts])("of %s", (account) => {
    expect(kindsOf(account)).toEqual(["ServiceAccount", "ClusterRole", "ClusterRoleBinding"]);
  });

  test("and of no controller that is not written", () => {
    expect(roles).toHaveLength(new Set(accounts).size + 1);
  });
});

test("controllers that share an account share a role", () => {
  const rule = (resource: string) => [{ apiGroups: [""], resources: [resource], verbs: ["get"] }];
  const made = rbacManifests([
    { name: "a-controller", serviceAccount: "both", rules: rule("pods") },
    { name: "b-controller", serviceAccount: "both", rules: rule("nodes") },
    { name: "c-controller", serviceAccount: "none" },
  ]);
  const role = made.find(
    ({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "kubeloop:controller:both",
  );
  expect(role).toMatchObject({ rules: [...rule("pods"), ...rule("nodes")] });
  expect(made.some(({ metadata }) => metadata.name?.endsWith("none"))).toBe(false);
});

test("a controller without an account of its own is allowed through the manager", () => {
  const manager = roles.find(({ metadata }) => metadata.name === "kubeloop:kube-controller-manager");
  const { rules = [] } = controllerDescriptors.find(({ name }) => name === "serviceaccount-token-controller") ?? {};
  expect(rules.length).toBeGreaterThan(0);
  expect(manager?.rules).toEqual(expect.arrayContaining([...rules]));
});

test("who records events may write them", () => {
  const recording = controllerDescriptors.flatMap(({ name, rules = [] }) =>
    grantsOf(rules).includes("create events. ") ? [name] : [],
  );
  expect(recording).toEqual([
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
    "replicationcontroller-controller",
    "garbage-collector-controller",
    "deployment-controller",
    "replicaset-controller",
    "disruption-controller",
    "node-ipam-controller",
    "node-lifecycle-controller",
    "taint-eviction-controller",
  ]);
});

test("the print is one document for each object", async () => {
  const documents = (await printRbacManifests()).split("---\n");
  expect(await Promise.all(documents.map((text) => parseJsonOrYaml(text)))).toEqual(rbacManifests());
});
