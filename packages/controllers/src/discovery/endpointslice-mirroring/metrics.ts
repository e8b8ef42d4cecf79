// The metrics of the endpointslice-mirroring controller, under upstream's names.
import { exponentialBuckets } from "@kubeloop/core/base";
import { counter, gauge, histogram } from "@kubeloop/core/contract";

export const endpointsAddedPerSync = histogram({
  name: "endpoint_slice_mirroring_controller_endpoints_added_per_sync",
  help: "Endpoints that one sync of Endpoints added to slices.",
  buckets: exponentialBuckets(2, 2, 15),
});

export const endpointsUpdatedPerSync = histogram({
  name: "endpoint_slice_mirroring_controller_endpoints_updated_per_sync",
  help: "Endpoints that one sync of Endpoints changed in slices.",
  buckets: exponentialBuckets(2, 2, 15),
});

export const endpointsRemovedPerSync = histogram({
  name: "endpoint_slice_mirroring_controller_endpoints_removed_per_sync",
  help: "Endpoints that one sync of Endpoints removed from slices.",
  buckets: exponentialBuckets(2, 2, 15),
});

export const addressesSkippedPerSync = histogram({
  name: "endpoint_slice_mirroring_controller_addresses_skipped_per_sync",
  help: "Addresses that were not mirrored, because they are none or because there are too many.",
  buckets: exponentialBuckets(2, 2, 15),
});

export const syncDuration = histogram({
  name: "endpoint_slice_mirroring_controller_endpoints_sync_duration",
  help: "How long one sync of Endpoints took, in seconds.",
  buckets: exponentialBuckets(0.001, 2, 15),
});

export const endpointsDesired = gauge({
  name: "endpoint_slice_mirroring_controller_endpoints_desired",
  help: "Endpoints that there should be.",
});

export const numEndpointSlices = gauge({
  name: "endpoint_slice_mirroring_controller_num_endpoint_slices",
  help: "EndpointSlices that there are.",
});

export const desiredEndpointSlices = gauge({
  name: "endpoint_slice_mirroring_controller_desired_endpoint_slices",
  help: "EndpointSlices that there would be if all were full.",
});

export const sliceChanges = counter({
  name: "endpoint_slice_mirroring_controller_changes",
  help: "EndpointSlices that were created, updated and deleted.",
  labels: ["operation"] as const,
});

export const mirroringMetrics = [
  endpointsAddedPerSync,
  endpointsUpdatedPerSync,
  endpointsRemovedPerSync,
  addressesSkippedPerSync,
  syncDuration,
  endpointsDesired,
  numEndpointSlices,
  desiredEndpointSlices,
  sliceChanges,
];
