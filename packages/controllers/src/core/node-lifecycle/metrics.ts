// What node-lifecycle measures, under upstream's names.
import { counter, gauge, histogram } from "@kubeloop/core/contract";

const labels = ["zone"] as const;

export const zoneHealth = gauge({
  name: "node_collector_zone_health",
  help: "Percentage of healthy nodes per zone.",
  labels,
});

export const zoneSize = gauge({
  name: "node_collector_zone_size",
  help: "Number of registered nodes per zone.",
  labels,
});

export const unhealthyNodes = gauge({
  name: "node_collector_unhealthy_nodes_in_zone",
  help: "Number of nodes that are not ready per zone.",
  labels,
});

export const evictions = counter({
  name: "node_collector_evictions_total",
  help: "Nodes that were tainted so that they lose their pods, since this instance started.",
  stability: "STABLE",
  labels,
});

/** 1 ms to 16 s, four times as much each. */
export const nodeDuration = histogram({
  name: "node_collector_update_node_health_duration_seconds",
  help: "How long it took to update the health of one node.",
  buckets: [0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384],
});

/** 10 ms to 3 min, four times as much each. */
export const passDuration = histogram({
  name: "node_collector_update_all_nodes_health_duration_seconds",
  help: "How long it took to update the health of all nodes.",
  buckets: [0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84],
});
