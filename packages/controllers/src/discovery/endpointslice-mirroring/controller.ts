// endpointslice-mirroring-controller: makes EndpointSlices that say the same as Endpoints that somebody wrote by hand, for who reads slices only.
//
// Read this first; then observe.ts (which Endpoints are mirrored), decide.ts (the slices that there should be), report.ts (what is said about it).
//
//   watches   Endpoints, the Services of their names, and its own slices
//   writes    EndpointSlices (create, update, delete), events
//
// Promises
// - Mirrored are Endpoints whose Service is there and has no selector. The label endpointslice.kubernetes.io/skip-mirror: "true" prevents it, and so
//   does the annotation of a leader election. What was mirrored and is not to be any more is deleted.
// - Each subset, repacked, is one slice for each family of addresses. Of more than `maxEndpointsPerSubset` addresses the rest is left out, those that
//   are not ready first, and so is what is no address: an event says so.
// - Slices carry the labels and annotations of the Endpoints, and are controlled by them: when they are gone, so are the slices.
// - What others do to its slices is undone after the batch period. Slices that others manage are left alone.
import type { corev1 } from "@kubeloop/core/api";
import { keyOf } from "@kubeloop/core/api";
import {
  type Change,
  cached,
  itself,
  mapped,
  newController,
  queue,
  subresourceVerbs,
  verbs,
} from "@kubeloop/core/contract";
import { endpointSlices, endpoints, services } from "@kubeloop/core/resources";
import { slicesByService } from "../../domain/endpoint-slices.ts";
import { selectorOfService } from "../../domain/service-pods.ts";
import { newDecide } from "./decide.ts";
import { mirroringMetrics } from "./metrics.ts";
import { MirrorCounts, newAbsorb, newLearn } from "./model.ts";
import { isToBeMirrored, observe } from "./observe.ts";
import { newReport } from "./report.ts";

export interface EndpointSliceMirroringSettings {
  /** How many Endpoints are worked on at a time: `--mirroring-concurrent-service-endpoint-syncs`. */
  readonly workers?: number;
  /** How many endpoints of one subset are mirrored at most: `--mirroring-max-endpoints-per-subset`. */
  readonly maxEndpointsPerSubset?: number;
  /** How long a change of a slice waits for others: `--mirroring-endpointslice-updates-batch-period`. */
  readonly batchMs?: number;
}

export const newEndpointSliceMirroringController = ({
  workers = 5,
  maxEndpointsPerSubset = 1000,
  batchMs = 0,
}: EndpointSliceMirroringSettings = {}) =>
  newController<MirrorCounts>({
    name: "endpointslice-mirroring-controller",
    primary: endpoints,
    watches: [
      itself(endpoints, { when: concernsMirroring }),
      mapped(services, (service) => [keyOf(service)], { when: hasOrHadNoSelector }),
      cached(endpointSlices),
    ],
    indexes: [slicesByService],
    // `finalizers` is written by nobody here: who may not update it may not make slices that block the deletion of Endpoints.
    writes: [verbs(endpointSlices, "create", "delete", "update"), subresourceVerbs(endpoints, "finalizers", "update")],
    metrics: mirroringMetrics,
    newModel: () => new MirrorCounts(maxEndpointsPerSubset),
    absorb: newAbsorb({ batchMs }),
    collect: ({ model }) => model.measure(),
    queues: {
      endpoints: queue({
        metricName: "endpoint_slice_mirroring",
        workers,
        // As upstream: a second at first, and fifteen tries after the first.
        retry: { baseMs: 1000, maxMs: 100_000, maxTries: 16 },
        observe,
        decide: newDecide({ maxPerSubset: maxEndpointsPerSubset }),
        reserve: ({ echoes }: MirrorCounts, { key }) => echoes.begin(key),
        learn: newLearn({ batchMs }),
        report: newReport({ maxPerSubset: maxEndpointsPerSubset }),
      }),
    },
  });

/** A leader election changes its Endpoints every few seconds, which means nothing here. */
function concernsMirroring(change: Change<corev1.Endpoints>): boolean {
  return isToBeMirrored(change.object) || (change.type === "update" && isToBeMirrored(change.before));
}

/** A Service with a selector has nothing to do with mirroring, unless it had none before. */
function hasOrHadNoSelector(change: Change<corev1.Service>): boolean {
  const hasNone = selectorOfService(change.object) === undefined;
  if (change.type !== "update") return hasNone;
  return hasNone !== (selectorOfService(change.before) === undefined);
}
