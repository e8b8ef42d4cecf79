// endpointslice-controller: keeps the EndpointSlices of each Service that has a selector: where its pods are, and which of them are ready.
//
// Read this first; then observe.ts (what is looked at), decide.ts (the slices that there should be), packing.ts (which endpoint goes into which
// slice), topology-hints.ts and traffic-distribution.ts (for whom it is meant), report.ts (what is said about it).
//
//   watches   Services, the pods that they select, the nodes of these pods, and its own slices
//   writes    EndpointSlices (create, update, delete), events
//
// Promises
// - A pod that has an address and has not ended is an endpoint, whether it is ready or not: its conditions say ready, serving and terminating.
//   Its node must be known, or it is left out and the Service looked at again, unless publishNotReadyAddresses is set.
// - Slices are made for each family of addresses, and for each set of ports. No slice has more endpoints than `maxEndpointsPerSlice`.
//   Endpoints stay where they are: as few slices change as possible. A Service without endpoints has one empty slice of each family.
// - Slices carry the labels of their Service, and are controlled by it: when it is gone, the garbage collector deletes them. Slices that others
//   manage are left alone; what others do to its own is undone after a second.
// - Changes of pods wait for the batch period, so that many become one write. Changes of a Service do not.
// - What a change costs does not grow with other pods: Services are found by the labels of a pod, pods by a label of the
//   selector, slices by their Service.
import { cached, newController, nothing, queue, subresourceVerbs, verbs } from "@kubeloop/core/contract";
import { endpointSlices, nodes, services } from "@kubeloop/core/resources";
import { podsByLabel } from "../../domain/by-label.ts";
import { slicesByService } from "../../domain/endpoint-slices.ts";
import { servicesBySelector, servicesOfPods } from "../../domain/service-pods.ts";
import { newDecide } from "./decide.ts";
import { endpointSliceMetrics, syncs } from "./metrics.ts";
import { EndpointSliceModel, newAbsorb, newLearn } from "./model.ts";
import { observe, observeZones } from "./observe.ts";
import { report } from "./report.ts";

export interface EndpointSliceSettings {
  /** How many Services are worked on at a time: `--concurrent-service-endpoint-syncs`. */
  readonly workers?: number;
  /** How many endpoints a slice holds at most: `--max-endpoints-per-slice`. */
  readonly maxEndpointsPerSlice?: number;
  /** How long a change of a pod waits for others: `--endpointslice-updates-batch-period`. */
  readonly batchMs?: number;
  /** Whether PreferSameZone and PreferSameNode count: feature gate PreferSameTrafficDistribution. */
  readonly knowsPreferSame?: boolean;
}

/** How long a change of a slice by somebody else waits for others. */
const sliceDelayMs = 1000;

export const newEndpointSliceController = ({
  workers = 5,
  maxEndpointsPerSlice = 100,
  batchMs = 0,
  knowsPreferSame = true,
}: EndpointSliceSettings = {}) =>
  newController<EndpointSliceModel>({
    name: "endpointslice-controller",
    primary: services,
    watches: [servicesOfPods({ afterMs: batchMs }), cached(endpointSlices), cached(nodes)],
    indexes: [servicesBySelector, podsByLabel, slicesByService],
    // `finalizers` is written by nobody here: who may not update it may not make slices that block a Service's deletion.
    writes: [verbs(endpointSlices, "create", "delete", "update"), subresourceVerbs(services, "finalizers", "update")],
    metrics: endpointSliceMetrics,
    staleSync: syncs.inc({ result: "stale" }),
    newModel: () => new EndpointSliceModel(maxEndpointsPerSlice),
    absorb: newAbsorb({ sliceDelayMs: Math.max(sliceDelayMs, batchMs) }),
    collect: ({ model }) => model.measure(),
    queues: {
      services: queue({
        metricName: "endpoint_slice",
        workers,
        // As upstream: a second at first, since a Service may mean many slices, and fifteen tries after the first.
        retry: { baseMs: 1000, maxMs: 1_000_000, maxTries: 16 },
        observe,
        decide: newDecide({ most: maxEndpointsPerSlice, knowsPreferSame }),
        reserve: (model: EndpointSliceModel, { key }) => model.echoes.begin(key),
        learn: newLearn({ sliceDelayMs: Math.max(sliceDelayMs, batchMs) }),
        report,
      }),
      topology: queue({
        // Upstream counts nothing of this queue.
        metricName: "",
        observe: observeZones,
        decide: (keys: readonly string[]) =>
          nothing("nodes have changed", { wakes: keys.map((key) => ({ key, queue: "services" })) }),
      }),
    },
  });
