// RBAC rules and a row of documentation, from a controller's descriptor: nobody writes them a second time.
import type { Resource, rbacv1 } from "../api/index.ts";
import type { Access } from "./access.ts";
import { verbs } from "./access.ts";
import type { Controller } from "./controller.ts";

const watching = ["get", "list", "watch"];

/** In the order of group and resource, each place once. */
export function policyRules(controller: Controller<unknown>): readonly rbacv1.PolicyRule[] {
  const places = new Map<string, { readonly group: string; readonly name: string; readonly verbs: Set<string> }>();
  const followed = controller.followsDiscovery ? [verbs("*", ...watching)] : [];
  const watched = controller.watchesFor(undefined).map(({ resource }) => verbs(resource, ...watching));
  for (const access of [...watched, ...followed, ...controller.reads, ...controller.writes]) {
    const { group, name } = placeOf(access);
    const place = places.get(`${group} ${name}`) ?? { group, name, verbs: new Set<string>() };
    for (const verb of access.verbs) place.verbs.add(verb);
    places.set(`${group} ${name}`, place);
  }
  return [...places.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { group, name, verbs: allowed }]) => ({
      apiGroups: [group],
      resources: [name],
      verbs: [...allowed].toSorted(),
    }));
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

export interface ControllerRow {
  readonly name: string;
  readonly shape: string;
  readonly watches: readonly string[];
  readonly queues: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly ports: readonly string[];
}

export function describeController(controller: Controller<unknown>): ControllerRow {
  const watches = controller.watchesFor(undefined).map(({ resource, wakes }) => `${nameOf(resource)} (${wakes})`);
  return {
    name: controller.name,
    shape: controller.shape,
    watches: controller.followsDiscovery ? [...watches, "what discovery names"] : watches,
    queues: Object.entries(controller.queues).map(([name, { workers, everyMs }]) =>
      everyMs === undefined ? `${name} × ${workers}` : `${name} every ${everyMs} ms`,
    ),
    reads: controller.reads.map(printAccess),
    writes: controller.writes.map(printAccess),
    ports: controller.ports.map(({ name }) => name),
  };
}

function printAccess(access: Access): string {
  const { group, name } = placeOf(access);
  return `${access.verbs.join(",")} ${group === "" || group === "*" ? name : `${name}.${group}`}`;
}

function placeOf({ resource, subresource }: Access): { readonly group: string; readonly name: string } {
  const group = resource === "*" ? "*" : resource.group;
  const plural = resource === "*" ? "*" : resource.plural;
  return { group, name: subresource === undefined ? plural : `${plural}/${subresource}` };
}

function nameOf({ plural, group }: Resource): string {
  return group === "" ? plural : `${plural}.${group}`;
}
