// RBAC rules from a controller's descriptor: nobody writes them a second time. They are complete, because the driver refuses what
// the descriptor does not name, and no wider than that: what is watched in some namespaces is allowed in those alone.
import type { rbacv1 } from "../api/index.ts";
import { type Access, placeOf, verbs } from "./access.ts";
import type { Controller } from "./controller.ts";

const watching = ["get", "list", "watch"];

/** All it needs anywhere, in the order of group and resource, each place once. */
export function policyRules(controller: Controller<unknown>): readonly rbacv1.PolicyRule[] {
  return toRules(needsOf(controller).map(({ access }) => access));
}

/** `name` is the controller's own unless given: upstream's service accounts are called otherwise. */
export function clusterRole(controller: Controller<unknown>, name: string = controller.name): rbacv1.ClusterRole {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `system:controller:${name}` },
    rules: policyRules(controller),
  };
}

export interface RbacObjectsOptions {
  /** Who runs the controller. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  /** Of the roles and their bindings; the controller's unless given. */
  readonly name?: string;
  /** Whether it may write events; true unless given. */
  readonly recordsEvents?: boolean;
}

export type RbacObject = rbacv1.ClusterRole | rbacv1.ClusterRoleBinding | rbacv1.Role | rbacv1.RoleBinding;

/** Roles and bindings: cluster-wide for what is watched everywhere, in each namespace for what is not. */
export function rbacObjects(controller: Controller<unknown>, options: RbacObjectsOptions): readonly RbacObject[] {
  const { serviceAccount, name = controller.name, recordsEvents = true } = options;
  const byNamespace = new Map<string, Access[]>();
  for (const { namespace, access } of needsOf(controller)) {
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), access]);
  }
  const placesOfEvents = recordsEvents ? (controller.namespaces ?? [""]) : [];
  for (const namespace of placesOfEvents) byNamespace.set(namespace, byNamespace.get(namespace) ?? []);
  const apiGroup = "rbac.authorization.k8s.io";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const subjects = [{ kind: "ServiceAccount", ...serviceAccount }];
  return [...byNamespace].toSorted(byName).flatMap(([namespace, accesses]): readonly RbacObject[] => {
    const rules = [...toRules(accesses), ...(placesOfEvents.includes(namespace) ? [eventsRule] : [])];
    if (namespace === "") {
      const roleRef = { apiGroup, kind: "ClusterRole", name };
      return [
        { apiVersion, kind: "ClusterRole", metadata: { name }, rules },
        { apiVersion, kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects },
      ];
    }
    const metadata = { namespace, name };
    const roleRef = { apiGroup, kind: "Role", name };
    return [
      { apiVersion, kind: "Role", metadata, rules },
      { apiVersion, kind: "RoleBinding", metadata, roleRef, subjects },
    ];
  });
}

const eventsRule: rbacv1.PolicyRule = {
  apiGroups: ["", "events.k8s.io"],
  resources: ["events"],
  verbs: ["create", "patch", "update"],
};

interface Need {
  /** "" for the whole cluster. */
  readonly namespace: string;
  readonly access: Access;
}

function needsOf(controller: Controller<unknown>): readonly Need[] {
  const watched = controller
    .watchesFor(undefined)
    .map(({ resource, namespace = "" }) => ({ namespace, access: verbs(resource, ...watching) }));
  const followed = controller.followsDiscovery ? [{ namespace: "", access: verbs("*", ...watching) }] : [];
  const done = [...controller.reads, ...controller.writes].flatMap((access): readonly Need[] => {
    const isInNamespaces = access.resource !== "*" && access.resource.namespaced;
    const namespaces = isInNamespaces ? (controller.namespaces ?? [""]) : [""];
    return namespaces.map((namespace) => ({ namespace, access }));
  });
  return [...watched, ...followed, ...done];
}

function toRules(accesses: readonly Access[]): readonly rbacv1.PolicyRule[] {
  const places = new Map<string, { readonly group: string; readonly name: string; readonly verbs: Set<string> }>();
  for (const access of accesses) {
    const { group, name } = placeOf(access);
    const place = places.get(`${group} ${name}`) ?? { group, name, verbs: new Set<string>() };
    for (const verb of access.verbs) place.verbs.add(verb);
    places.set(`${group} ${name}`, place);
  }
  return [...places.entries()].toSorted(byName).map(([, { group, name, verbs: allowed }]) => ({
    apiGroups: [group],
    resources: [name],
    verbs: [...allowed].toSorted(),
  }));
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
