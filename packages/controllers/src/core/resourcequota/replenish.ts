// Which changes free something that quotas count: every deletion, and the updates that the rules of the resource name (a pod has ended, a
// service is no load balancer any more). Their namespace and resource become one key, however many objects change.
import { keyOf } from "@kubeloop/core/api";
import type { Change, Snapshot, View, Wake } from "@kubeloop/core/contract";
import { resourceQuotas } from "@kubeloop/core/resources";
import { countableResources, deviceClassesFor, idOf } from "./countable.ts";
import { changesQueue } from "./missing-usage.ts";
import type { ObserveOptions } from "./observe.ts";

const nobody: readonly Wake[] = [];

/** Costs the same however many objects and quotas there are. */
export function replenish(change: Change, snapshot: Snapshot, nowMs: number): readonly Wake[] {
  const { served } = snapshot;
  const { namespace = "" } = change.object.metadata;
  if (served === undefined || namespace === "" || change.type === "add" || change.cause === "resync") return nobody;
  const id = idOf(change.resource);
  if (change.type === "update") {
    const evaluator = countableResources(served).get(id)?.evaluator;
    if (evaluator?.isReplenishedBy(change.before, change.object, { nowMs }) !== true) return nobody;
  }
  // A quota that is not cached yet is computed when it comes.
  if (snapshot.list(resourceQuotas, { namespace }).length === 0) return nobody;
  return [{ key: `${namespace} ${id}`, queue: changesQueue }];
}

/** Returns the keys of the quotas that limit the resource in this namespace. Their status says what they limit: what admission goes by. */
export const newObserveChange =
  ({ withExtendedResources }: ObserveOptions) =>
  (key: string, { snapshot }: View): readonly string[] | undefined => {
    const [namespace = "", id = ""] = key.split(" ");
    const evaluator = snapshot.served && countableResources(snapshot.served).get(id)?.evaluator;
    if (evaluator === undefined) return undefined;
    return snapshot
      .list(resourceQuotas, { namespace })
      .filter(({ status }) => {
        const limited = Object.keys(status?.hard ?? {});
        const classes = withExtendedResources ? deviceClassesFor(limited, snapshot) : undefined;
        return evaluator.matchingResources(limited, { deviceClasses: classes }).length > 0;
      })
      .map(keyOf);
  };
