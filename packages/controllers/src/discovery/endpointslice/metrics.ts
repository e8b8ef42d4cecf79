// The metrics of the endpointslice controller, under upstream's names.
import { exponentialBuckets } from "@kubeloop/core/base";
import { counter, gauge, histogram } from "@kubeloop/core/contract";

const perSync = exponentialBuckets(2, 2, 15);

export const endpointsAddedPerSync = histogram({
  name: "endpoint_slice_controller_endpoints_added_per_sync",
  help: "Endpoints that one sync of a Service added, for each type of address.",
  buckets: perSync,
});

export const endpointsRemovedPerSync = histogram({
  name: "endpoint_slice_controller_endpoints_removed_per_sync",
  help: "Endpoints that one sync of a Service removed, for each type of address.",
  buckets: perSync,
});

export const endpointSlicesChangedPerSync = histogram({
  name: "endpoint_slice_controller_endpointslices_changed_per_sync",
  help: "EndpointSlices that one sync of a Service changed, for each type of address.",
  labels: ["topology", "traffic_distribution"] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

export const endpointsDesired = gauge({
  name: "endpoint_slice_controller_endpoints_desired",
  help: "Endpoints that there should be.",
});

export const numEndpointSlices = gauge({
  name: "endpoint_slice_controller_num_endpoint_slices",
  help: "EndpointSlices that there are.",
});

export const desiredEndpointSlices = gauge({
  name: "endpoint_slice_controller_desired_endpoint_slices",
  help: "EndpointSlices that there would be if all were full.",
});

export const servicesByTrafficDistribution = gauge({
  name: "endpoint_slice_controller_services_count_by_traffic_distribution",
  help: "Services with each trafficDistribution.",
  labels: ["traffic_distribution"] as const,
});

export const sliceChanges = counter({
  name: "endpoint_slice_controller_changes",
  help: "EndpointSlices that were created, updated and deleted.",
  labels: ["operation"] as const,
});

export const syncs = counter({
  name: "endpoint_slice_controller_syncs",
  help: "Looks at a Service, by their result.",
  labels: ["result"] as const,
});

export const endpointSliceMetrics = [
  endpointsAddedPerSync,
  endpointsRemovedPerSync,
  endpointSlicesChangedPerSync,
  endpointsDesired,
  numEndpointSlices,
  desiredEndpointSlices,
  servicesByTrafficDistribution,
  sliceChanges,
  syncs,
];
