// Makes a row of documentation from the descriptor of a controller.
import type { Resource } from "../api/index.ts";
import { type Access, ruleNameOf } from "./access.ts";
import type { Controller } from "./controller.ts";
import type { ControllerQueue } from "./queue.ts";

export interface ControllerRow {
  readonly name: string;
  readonly shape: string;
  readonly watches: readonly string[];
  /** The namespaces in which namespaced resources are watched. Empty means all namespaces. */
  readonly namespaces: readonly string[];
  readonly sources: readonly string[];
  readonly queues: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly metrics: readonly string[];
  readonly ports: readonly string[];
}

export function describeController<M>(controller: Controller<M>): ControllerRow {
  const names = controller.watchesFor(undefined).map(({ resource, wakes }) => `${nameOf(resource)} (${wakes})`);
  const watches = [...new Set(names)];
  return {
    name: controller.name,
    shape: controller.shape,
    watches: controller.followsDiscovery ? [...watches, "what discovery names"] : watches,
    namespaces: controller.namespaces ?? [],
    sources: controller.sources.map(({ name }) => name),
    queues: Object.entries<ControllerQueue<M>>(controller.queues).map(([name, { workers, everyMs }]) =>
      everyMs === undefined ? `${name} × ${workers}` : `${name} every ${everyMs} ms`,
    ),
    reads: controller.reads.map(printAccess),
    writes: controller.writes.map(printAccess),
    metrics: controller.metrics.map(({ definition }) => definition.name),
    ports: controller.ports.map(({ name }) => name),
  };
}

function printAccess(access: Access): string {
  const { group, name } = ruleNameOf(access);
  return `${access.verbs.join(",")} ${group === "" || group === "*" ? name : `${name}.${group}`}`;
}

function nameOf({ plural, group }: Resource): string {
  return group === "" ? plural : `${plural}.${group}`;
}
