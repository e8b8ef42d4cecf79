// resourcequota-controller: computes how much of each ResourceQuota is used, and reports it with the limits in the quota's status. Admission in
// the API server enforces the limits, and charges the quota with each object that is created.
//
// Read this first; then countable.ts (which resources are counted, by which rules of core), replenish.ts (which changes free something),
// observe.ts, decide.ts.
//
//   watches   ResourceQuotas, and whatever can be created, listed, watched and deleted in namespaces, but events; as discovery changes. Of
//             resources whose objects are only counted, the metadata
//   writes    the status of ResourceQuotas
//
// Promises
// - Usage is always computed anew from all objects of the namespace, never added up from changes.
// - What is deleted, or ends, frees its quota at once; creations are charged by admission. All quotas are computed again every `resyncMs`.
// - What was there before the quota is counted also if its cache has it only later.
// - A quota whose limits or usage its status lacks has a queue of its own, so that it does not wait for the recalculation of all others:
//   admission refuses everything that such a quota limits.
// - A resource name that nobody counts keeps its usage. If the usage of some resources cannot be computed, that of the others is reported.
import { KubeloopError } from "@kubeloop/core/base";
import { cached, mapped, newController, nothing, queue, statusVerbs } from "@kubeloop/core/contract";
import { deviceClasses, resourceQuotas } from "@kubeloop/core/resources";
import { countableResources, hasDeviceClasses, idOf } from "./countable.ts";
import { newDecide } from "./decide.ts";
import { changesQueue, isComputedAfter, missingUsageQueue, primaryQueue, quotaWakes } from "./missing-usage.ts";
import { newObserve } from "./observe.ts";
import { newObserveChange, replenish } from "./replenish.ts";

export interface ResourceQuotaSettings {
  /** How many quotas are worked on at a time, for each of the two queues: `--concurrent-resource-quota-syncs`. */
  readonly workers?: number;
  /** How often all quotas are computed again; never if 0: `--resource-quota-sync-period`. */
  readonly resyncMs?: number;
  /** Whether pod-level resources count: feature gate PodLevelResources. */
  readonly withPodLevel?: boolean;
  /** Whether devices of ResourceClaims count as extended resources, too: feature gate DRAExtendedResource. */
  readonly withExtendedResources?: boolean;
}

export const newResourceQuotaController = ({
  workers = 5,
  resyncMs = 300_000,
  withPodLevel = true,
  withExtendedResources = true,
}: ResourceQuotaSettings = {}) => {
  const observe = newObserve({ withExtendedResources });
  const decide = newDecide({ withPodLevel });
  return newController({
    name: "resourcequota-controller",
    primary: resourceQuotas,
    watches: (served) => {
      const countable = [...countableResources(served).values()];
      // No server serves nothing: watches stay as they are.
      if (countable.length === 0) throw new KubeloopError("discovery reports no resources", { reason: "NoResources" });
      return [
        mapped(resourceQuotas, quotaWakes, { when: isComputedAfter, resyncMs }),
        ...(withExtendedResources && hasDeviceClasses(served) ? [cached(deviceClasses)] : []),
        ...countable
          .filter(({ resource }) => idOf(resource) !== idOf(resourceQuotas))
          .map(({ resource, needsObjects }) => cached(resource, { metadataOnly: !needsObjects })),
      ];
    },
    writes: [statusVerbs(resourceQuotas, "update")],
    absorb: (_model, change, { snapshot, nowMs }) => replenish(change, snapshot, nowMs),
    queues: {
      [primaryQueue]: queue({ metricName: "resourcequota_primary", workers, observe, decide }),
      [missingUsageQueue]: queue({ metricName: "resourcequota_priority", workers, observe, decide }),
      [changesQueue]: queue({
        metricName: "resource_quota_controller_resource_changes",
        observe: newObserveChange({ withExtendedResources }),
        decide: (quotas) =>
          nothing("something was freed", { wakes: quotas.map((key) => ({ key, queue: primaryQueue })) }),
      }),
    },
  });
};
