// When a quota itself is to be computed, and in which queue: one whose status lacks limits, or usage that can be computed, before all others.
import { type corev1, keyOf } from "@kubeloop/core/api";
import type { Change, Served, Snapshot, Wake } from "@kubeloop/core/contract";
import { equalAmounts, toAmounts } from "@kubeloop/core/rules";
import { countableResources } from "./countable.ts";

export const primaryQueue = "quotas";
export const missingUsageQueue = "missingUsage";
/** Keys are a namespace and a resource of which something was freed there. */
export const changesQueue = "resourceChanges";

/**
 * Updates of the status are our own or admission's: only other limits change the usage. After a gap of the watch, a quota that was made anew under
 * its name comes as an update.
 */
export function isComputedAfter(change: Change<corev1.ResourceQuota>): boolean {
  if (change.type !== "update" || change.cause === "resync") return true;
  if (change.before.metadata.uid !== change.object.metadata.uid) return true;
  return !equalAmounts(toAmounts(change.before.spec?.hard), toAmounts(change.object.spec?.hard));
}

export function quotaWakes(
  quota: corev1.ResourceQuota,
  { served }: Snapshot,
  change: Change<corev1.ResourceQuota>,
): readonly Wake[] {
  // The state before an update has no key of its own.
  if (quota !== change.object) return [];
  const isMissing = change.type !== "delete" && change.cause !== "resync" && isUsageMissing(quota, served);
  return [{ key: keyOf(quota), queue: isMissing ? missingUsageQueue : primaryQueue }];
}

export function isUsageMissing({ spec, status }: corev1.ResourceQuota, served: Served | undefined): boolean {
  const limits = toAmounts(status?.hard);
  if (!equalAmounts(toAmounts(spec?.hard), limits)) return true;
  const missing = [...limits.keys()].filter((name) => status?.used?.[name] === undefined);
  if (missing.length === 0 || served === undefined) return false;
  return [...countableResources(served).values()].some(
    ({ evaluator }) => evaluator.matchingResources(missing).length > 0,
  );
}
