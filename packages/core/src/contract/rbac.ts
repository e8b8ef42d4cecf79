// RBAC rules from a controller's descriptor. They are complete, because the driver refuses what the descriptor does not name, and no
// wider than that: what is watched in some namespaces is allowed in those alone.
//
// There are two roles. `clusterRole` is that of a controller whose process watches for it: in the controller manager informers are shared
// and have the manager's identity, so the role holds only what the controller itself reads and writes, as upstream's roles do.
// `rbacObjects` is for an operator that does everything with one identity: it watches, too, and records events.
import type { rbacv1 } from "../api/index.ts";
import { type Access, ruleNameOf, verbs } from "./access.ts";
import type { Controller } from "./controller.ts";

const watching = ["get", "list", "watch"];

/** What the controller itself reads and writes. `name` is the controller's unless given: upstream's service accounts differ. */
export function clusterRole<M>(controller: Controller<M>, name: string = controller.name): rbacv1.ClusterRole {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `system:controller:${name}` },
    rules: toRules([...controller.reads, ...controller.writes]),
  };
}

interface RbacObjectsOptions {
  /** Who runs the controller. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  /** Of the roles and their bindings; the controller's unless given. */
  readonly name?: string;
  /** Whether it may record events; true unless given. */
  readonly recordsEvents?: boolean;
  /** The Lease by which replicas elect a leader, as in `leaderElection` of the manager: a Role in its namespace allows it. */
  readonly lease?: { readonly namespace: string; readonly name: string };
}

type RbacObject = rbacv1.ClusterRole | rbacv1.ClusterRoleBinding | rbacv1.Role | rbacv1.RoleBinding;

/** Roles and bindings of an operator: cluster-wide for what is watched everywhere, in each namespace for the rest. */
export function rbacObjects<M>(controller: Controller<M>, options: RbacObjectsOptions): readonly RbacObject[] {
  const { serviceAccount, name = controller.name, recordsEvents = true } = options;
  const byNamespace = new Map<string, Access[]>();
  for (const { namespace, access } of needsOf(controller)) {
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), access]);
  }
  const eventNamespaces = recordsEvents ? (controller.namespaces ?? [""]) : [];
  for (const namespace of eventNamespaces) byNamespace.set(namespace, byNamespace.get(namespace) ?? []);
  const apiGroup = "rbac.authorization.k8s.io";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const subjects = [{ kind: "ServiceAccount", ...serviceAccount }];
  const election = options.lease === undefined ? [] : leaseObjects(name, options.lease, subjects);
  const needed = [...byNamespace].toSorted(byName).flatMap(([namespace, accesses]): readonly RbacObject[] => {
    const rules = [...toRules(accesses), ...(eventNamespaces.includes(namespace) ? [eventsRule] : [])];
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
  return [...needed, ...election];
}

/** A create cannot be allowed by name, because the name is in the body; everything else is. */
function leaseObjects(
  controller: string,
  { namespace, name }: NonNullable<RbacObjectsOptions["lease"]>,
  subjects: readonly rbacv1.Subject[],
): readonly RbacObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { namespace, name: `${controller}-leader-election` };
  const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  return [
    {
      apiVersion,
      kind: "Role",
      metadata,
      rules: [
        { ...leases, verbs: ["create"] },
        { ...leases, resourceNames: [name], verbs: ["get", "update"] },
      ],
    },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: metadata.name },
      subjects,
    },
  ];
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

function needsOf<M>(controller: Controller<M>): readonly Need[] {
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
  const rules = new Map<string, { readonly group: string; readonly name: string; readonly verbs: Set<string> }>();
  for (const access of accesses) {
    const { group, name } = ruleNameOf(access);
    const rule = rules.get(`${group} ${name}`) ?? { group, name, verbs: new Set<string>() };
    for (const verb of access.verbs) rule.verbs.add(verb);
    rules.set(`${group} ${name}`, rule);
  }
  return [...rules.entries()].toSorted(byName).map(([, { group, name, verbs: allowed }]) => ({
    apiGroups: [group],
    resources: [name],
    verbs: [...allowed].toSorted(),
  }));
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
