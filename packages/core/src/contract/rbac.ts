// Makes RBAC rules from the descriptor of a controller. The rules are complete, because the driver refuses requests that the descriptor does
// not declare. They allow no more than that: resources that are watched in some namespaces are allowed only in those namespaces.
//
// There are two functions. `clusterRole` is for a controller in the controller manager, where informers are shared and use the manager's
// identity: the role has only what the controller itself reads and writes, like the roles of upstream. `rbacObjects` is for an operator that
// uses one identity for everything: the rules also allow its watches, and recording events.
import type { rbacv1 } from "../api/index.ts";
import { type Access, ruleNameOf, verbs } from "./access.ts";
import type { Controller } from "./controller.ts";

const watching = ["get", "list", "watch"];

/**
 * Returns a role with what the controller itself reads and writes. `name` is the controller's name unless given; some service accounts of
 * upstream have another name than their controller.
 */
export function clusterRole<M>(controller: Controller<M>, name: string = controller.name): rbacv1.ClusterRole {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `system:controller:${name}` },
    rules: toRules([...controller.reads, ...controller.writes]),
  };
}

interface RbacObjectsOptions {
  /** The service account of the process that runs the controller. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  /** The name of the roles and their bindings; the controller's name unless given. */
  readonly name?: string;
  /** Whether the controller may record events; true unless given. */
  readonly recordsEvents?: boolean;
  /** The Lease for leader election, as in `leaderElection` of the manager. A Role in the namespace of the Lease allows access to it. */
  readonly lease?: { readonly namespace: string; readonly name: string };
}

type RbacObject = rbacv1.ClusterRole | rbacv1.ClusterRoleBinding | rbacv1.Role | rbacv1.RoleBinding;

/**
 * Returns the roles and bindings of an operator: cluster-wide for resources that are watched in all namespaces or are cluster-scoped, and
 * in each namespace for the rest.
 */
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

/** RBAC cannot restrict a create by name, because the name is in the body. The other verbs are restricted to the name of the Lease. */
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
