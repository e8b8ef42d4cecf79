// endpoints-controller: keeps the Endpoints of each Service that has a selector: the older form of EndpointSlices, one object for a Service.
//
// Read this first; then observe.ts (what is looked at), decide.ts (the Endpoints that there should be), truncate.ts (too many addresses),
// report.ts (what is said about it).
//
//   watches   Services, the pods that they select, and Endpoints that are deleted
//   writes    Endpoints (create, update, delete), events
//
// Promises
// - A pod that has an address, has not ended and is not being deleted is in: among `addresses` if it is ready, among `notReadyAddresses` if not.
//   With publishNotReadyAddresses all are in `addresses`, also those that are being deleted.
// - Addresses are of one family, the Service's first. Ports that lead to the same pods share a subset.
// - There are at most 1,000 addresses. If there would be more, the annotation endpoints.kubernetes.io/over-capacity says "truncated".
// - Endpoints carry the labels of their Service. Endpoints of Services without a selector are left alone.
// - Endpoints of a Service that is gone are deleted, also those that were left over when the controller starts, unless somebody's leader election
//   lives in them.
// - Changes of pods wait for the batch period, so that many become one write. Changes of a Service do not.
// - What a change costs does not grow with other pods: Services are found by the labels of a pod, pods by a label of the selector.
import type { corev1 } from "@kubeloop/core/api";
import { keyOf } from "@kubeloop/core/api";
import { type Change, mapped, newController, queue, verbs } from "@kubeloop/core/contract";
import { endpoints, services } from "@kubeloop/core/resources";
import { podsByLabel } from "../../domain/by-label.ts";
import { servicesBySelector, servicesOfPods } from "../../domain/service-pods.ts";
import { newDecide } from "./decide.ts";
import { learn, SeenTimes } from "./model.ts";
import { observe } from "./observe.ts";
import { report } from "./report.ts";

export interface EndpointsSettings {
  /** How many Services are worked on at a time: `--concurrent-endpoint-syncs`. */
  readonly workers?: number;
  /** How long a change of a pod waits for others: `--endpoint-updates-batch-period`. */
  readonly batchMs?: number;
}

/** Upstream's maxCapacity, which no flag sets. */
const mostAddresses = 1000;

export const newEndpointsController = ({ workers = 5, batchMs = 0 }: EndpointsSettings = {}) =>
  newController<SeenTimes>({
    name: "endpoints-controller",
    primary: services,
    watches: [
      servicesOfPods({ afterMs: batchMs }),
      mapped(endpoints, (object) => [keyOf(object)], { when: mayBeLeftOver }),
    ],
    indexes: [servicesBySelector, podsByLabel],
    writes: [verbs(endpoints, "create", "delete", "update")],
    newModel: () => new SeenTimes(),
    queues: {
      services: queue({
        metricName: "endpoint",
        workers,
        // As upstream: the first try and fifteen more.
        retry: { maxTries: 16 },
        observe,
        decide: newDecide({ most: mostAddresses }),
        learn,
        report,
      }),
    },
  });

/** Endpoints that are there at the start may be of a Service that went while nobody looked. Those that are deleted may be needed. */
function mayBeLeftOver(change: Change<corev1.Endpoints>): boolean {
  if (change.type === "delete") return true;
  const isLock = change.object.metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined;
  return change.type === "add" && change.isInitial && !isLock;
}
