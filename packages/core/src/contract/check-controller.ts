// Validates the descriptor of a controller when it is created. An invalid descriptor throws an error with one sentence; without this check
// the controller would start and silently do nothing.
import { KubeloopError } from "../base/index.ts";
import type { Controller } from "./controller.ts";
import type { ControllerQueue } from "./queue.ts";
import { resourceId } from "./snapshot.ts";
import type { Watch } from "./watches.ts";

/** Throws for the first fault. Watches that follow discovery are checked later, by `watchesFor`, after each discovery. */
export function checkController<M>(controller: Controller<M>): void {
  const { name, queues, namespaces, followsDiscovery } = controller;
  if (name === "") throw newInvalid("a controller needs a name");
  if (Object.keys(queues).length === 0) throw newInvalid(`${name} has no queue`);
  if (namespaces?.length === 0) throw newInvalid(`${name} watches no namespace: leave namespaces out to watch all`);
  for (const [queueName, queue] of Object.entries<ControllerQueue<M>>(queues)) checkQueue(name, queueName, queue);
  checkIndexes(controller);
  checkMetrics(controller);
  if (followsDiscovery) return;
  const watched = new Set(controller.watchesFor(undefined).map(({ resource }) => resourceId(resource)));
  for (const { name: index, resource } of controller.indexes) {
    if (watched.has(resourceId(resource))) continue;
    throw newInvalid(`${name} has index ${index} of ${resource.plural}, which it does not watch`);
  }
}

/**
 * Throws for a watch whose queue does not exist, for a watch whose keys would be added to a sweep,
 * and for an `owned` watch without the resource of the owners.
 */
export function checkWatches<M>(
  name: string,
  queues: Readonly<Record<string, ControllerQueue<M>>>,
  watches: readonly Watch[],
): void {
  const [first = ""] = Object.keys(queues);
  for (const { resource, wakes, queue = first, owner, namespaces, resyncMs = 0, afterMs = 0 } of watches) {
    const what = `${name} watches ${resource.plural}`;
    if (namespaces?.length === 0) throw newInvalid(`${what} in no namespace: leave namespaces out to watch all`);
    if (!(resyncMs >= 0)) throw newInvalid(`${what} with a resync every ${resyncMs} ms`);
    if (!(afterMs >= 0)) throw newInvalid(`${what} with a delay of ${afterMs} ms`);
    const target = Object.hasOwn(queues, queue) ? queues[queue] : undefined;
    if (target === undefined) {
      const known = Object.keys(queues).join(", ");
      throw newInvalid(`${what} for queue "${queue}", which it does not have: it has ${known}`);
    }
    if (wakes === "owner" && owner === undefined) {
      throw newInvalid(
        `${what} for their owners, but the owners' resource is not given: set primary, or use owned(…, { owner })`,
      );
    }
    // A mapping may name another queue for each key, if the controller has a queue that is no sweep. The driver refuses keys for a sweep.
    const canGoElsewhere = wakes === "mapped" && Object.values(queues).some(({ everyMs }) => everyMs === undefined);
    if (target.everyMs !== undefined && wakes !== "cache" && !canGoElsewhere) {
      throw newInvalid(
        `${what} for queue "${queue}", a sweep, which takes no keys: use cached(${resource.plural}), and no primary`,
      );
    }
  }
}

function checkQueue<M>(controller: string, name: string, queue: ControllerQueue<M>): void {
  const { workers, everyMs, deadlineMs, retry } = queue;
  const what = `queue "${name}" of ${controller}`;
  if (!Number.isInteger(workers) || workers < 1)
    throw newInvalid(`${what} has ${workers} workers: it needs at least one`);
  if (everyMs !== undefined && !(everyMs > 0)) throw newInvalid(`${what} has a period of ${everyMs} ms`);
  if (everyMs !== undefined && workers > 1) throw newInvalid(`${what} is a sweep, which has one key and one worker`);
  if (!((retry.maxTries ?? 1) >= 1)) throw newInvalid(`${what} has at most ${retry.maxTries} tries: it needs one`);
  if (deadlineMs !== undefined && !(deadlineMs > 0)) throw newInvalid(`${what} has a deadline of ${deadlineMs} ms`);
}

function checkIndexes<M>({ name, indexes }: Controller<M>): void {
  const byName = new Map<string, (typeof indexes)[number]>();
  for (const index of indexes) {
    const id = `${index.name} of ${resourceId(index.resource)}`;
    const other = byName.get(id);
    if (other !== undefined && other.valuesOf !== index.valuesOf) {
      throw newInvalid(`${name} has two different indexes named ${index.name} of ${index.resource.plural}`);
    }
    byName.set(id, index);
  }
}

function checkMetrics<M>({ name, metrics }: Controller<M>): void {
  const byName = new Map<string, (typeof metrics)[number]>();
  for (const metric of metrics) {
    const other = byName.get(metric.definition.name);
    if (other !== undefined && other !== metric) {
      throw newInvalid(`${name} declares two different metrics named ${metric.definition.name}`);
    }
    byName.set(metric.definition.name, metric);
  }
}

function newInvalid(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
