// Which changes of objects make quotas be computed anew: every deletion, and the updates that the rules of the resource name (a pod has ended, a
// service is no load balancer any more). Creations are charged by admission. But an object that is no younger than the quota was not charged, and
// its cache may have it only after the quota was computed. Namespace and resource become one key, however many objects change.
import { type KubernetesObject, keyOf, parseTime } from "@kubeloop/core/api";
import type { Change, Snapshot, View, Wake } from "@kubeloop/core/contract";
import { resourceQuotas } from "@kubeloop/core/resources";
import { countableResources, deviceClassesFor, idOf } from "./countable.ts";
import { changesQueue } from "./missing-usage.ts";
import type { ObserveOptions } from "./observe.ts";

const nobody: readonly Wake[] = [];

/** Costs the same however many objects there are. */
export function replenish(change: Change, snapshot: Snapshot, nowMs: number): readonly Wake[] {
  const { served } = snapshot;
  const { namespace = "" } = change.object.metadata;
  if (served === undefined || namespace === "" || change.cause === "resync") return nobody;
  const id = idOf(change.resource);
  // After a gap of the watch, an object that was made anew under its name comes as an update: one was deleted, too.
  if (change.type === "update" && change.before.metadata.uid === change.object.metadata.uid) {
    const evaluator = countableResources(served).get(id)?.evaluator;
    if (evaluator?.isReplenishedBy(change.before, change.object, { nowMs }) !== true) return nobody;
  }
  // A quota that is not cached yet is computed when it comes.
  const quotas = snapshot.list(resourceQuotas, { namespace });
  const isFor = change.type === "add" ? quotas.some((quota) => isNoYounger(change.object, quota)) : quotas.length > 0;
  return isFor ? [{ key: `${namespace} ${id}`, queue: changesQueue }] : nobody;
}

/** To the second, which is all that objects tell. A quota is itself computed when it comes. */
function isNoYounger(
  { metadata: { creationTimestamp: created, uid } }: KubernetesObject,
  quota: KubernetesObject,
): boolean {
  const { creationTimestamp: limited } = quota.metadata;
  if (created === undefined || limited === undefined || uid === quota.metadata.uid) return false;
  return parseTime(created) <= parseTime(limited);
}

/** Returns the keys of the quotas that limit the resource in this namespace, by their spec, or still by their status, which admission goes by. */
export const newObserveChange =
  ({ withExtendedResources }: ObserveOptions) =>
  (key: string, { snapshot }: View): readonly string[] | undefined => {
    const [namespace = "", id = ""] = key.split(" ");
    const evaluator = snapshot.served && countableResources(snapshot.served).get(id)?.evaluator;
    if (evaluator === undefined) return undefined;
    return snapshot
      .list(resourceQuotas, { namespace })
      .filter(({ spec, status }) => {
        const limited = Object.keys({ ...spec?.hard, ...status?.hard });
        const classes = withExtendedResources ? deviceClassesFor(limited, snapshot) : undefined;
        return evaluator.matchingResources(limited, { deviceClasses: classes }).length > 0;
      })
      .map(keyOf);
  };
