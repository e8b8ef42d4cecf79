// The metrics of leader election, with the names of Kubernetes.
import type { Metrics } from "../base/index.ts";

export interface ElectionObserver {
  leading(isLeader: boolean): void;
  /** Called when a renewal had to read the lease first. */
  slowPath(): void;
}

export const noElectionObserver: ElectionObserver = { leading() {}, slowPath() {} };

const labels = ["name"] as const;

export const electionMetricDefinitions = {
  masterStatus: {
    name: "leader_election_master_status",
    help:
      "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is " +
      "the string used to identify the lease. Please make sure to group by name.",
    labels,
  },
  slowPath: {
    name: "leader_election_slowpath_total",
    help:
      "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. " +
      "Please make sure to group by name.",
    labels,
  },
} as const;

export function electionMetrics(metrics: Metrics, leaseName: string): ElectionObserver {
  const series = { name: leaseName };
  const status = metrics.gauge(electionMetricDefinitions.masterStatus).labels(series);
  const slow = metrics.counter(electionMetricDefinitions.slowPath).labels(series);
  return {
    leading: (isLeader) => status.set(isLeader ? 1 : 0),
    slowPath: () => slow.inc(),
  };
}
