// node-lifecycle-controller: finds out which nodes are well, says so in their conditions, and taints those that are not, so that no pod is put on
// them and, after a while, taint-eviction deletes the pods that they have.
//
//   watches   nodes, the leases of nodes, pods
//   writes    conditions of nodes, taints and labels of nodes, the Ready condition of pods, events
//
// Read decide.ts (a pass over all nodes, every five seconds) with health.ts and zones.ts; then taint-zone.ts, update-node.ts and mark-pod.ts.
//
// Promises
// - A node whose Ready condition and lease were not renewed for the grace period, by our own clock, is Unknown; if it was ready, the event
//   NodeNotReady says so and its pods are marked as not ready. A node that has never reported has the startup grace period.
// - NoSchedule taints follow the conditions and spec.unschedulable at once. Nodes register with the taint not-ready: without this controller
//   no pod would ever be put on them.
// - NoExecute taints (not-ready, unreachable) go when the node is ready, and one takes the place of the other; but they come at the rate of
//   the node's zone. If no node of the cluster is ready, none comes and all are taken back.
// - Every added taint has its time, from which tolerations may be counted.
// - A node that is seen for the first time, after a restart every node, loses its NoExecute taints and waits its turn.
// - A change costs the same however many nodes there are; a pass looks at each node once, and writes only what differs.
import { cached, itself, newController, queue, statusVerbs, verbs } from "@kubeloop/core/contract";
import { leases, nodes, pods } from "@kubeloop/core/resources";
import { podsByNode } from "../../domain/pods-by-node.ts";
import { newDecidePass, newLearnPass, reportPass } from "./decide.ts";
import { decidePod } from "./mark-pod.ts";
import { evictions, nodeDuration, passDuration, unhealthyNodes, zoneHealth, zoneSize } from "./metrics.ts";
import { NodeMemory } from "./model.ts";
import { leaseNamespace, observeNode, observePass, observePod, observeZone, podWatches } from "./observe.ts";
import { decideZone, learnZone, reportZone, reserveZone } from "./taint-zone.ts";
import { decideNode } from "./update-node.ts";

export interface NodeLifecycleSettings {
  /** How often all nodes are looked at: `--node-monitor-period`. */
  readonly monitorEveryMs?: number;
  /** How long a node may be silent: `--node-monitor-grace-period`. */
  readonly monitorGraceMs?: number;
  /** How long a node that has never reported may be silent: `--node-startup-grace-period`. */
  readonly startupGraceMs?: number;
  /** Nodes per second that are tainted in a zone: `--node-eviction-rate`. */
  readonly evictionRate?: number;
  /** The same in a zone that is partially disrupted: `--secondary-node-eviction-rate`. */
  readonly secondaryEvictionRate?: number;
  /** In a zone of up to so many nodes the secondary rate is 0: `--large-cluster-size-threshold`. */
  readonly largeClusterThreshold?: number;
  /** From which share of nodes that are not ready a zone is partially disrupted: `--unhealthy-zone-threshold`. */
  readonly unhealthyZoneThreshold?: number;
}

export const newNodeLifecycleController = ({
  monitorEveryMs = 5000,
  monitorGraceMs = 50_000,
  startupGraceMs = 60_000,
  evictionRate = 0.1,
  secondaryEvictionRate = 0.01,
  largeClusterThreshold = 50,
  unhealthyZoneThreshold = 0.55,
}: NodeLifecycleSettings = {}) => {
  const settings = {
    monitorGraceMs,
    startupGraceMs,
    evictionRate,
    secondaryEvictionRate,
    largeClusterThreshold,
    unhealthyZoneThreshold,
  };
  return newController<NodeMemory>({
    name: "node-lifecycle-controller",
    primary: nodes,
    // Several write a node when it comes: its networks, its annotations. Soon after them is early enough.
    watches: [itself(nodes, { afterMs: 50 }), cached(leases, { namespace: leaseNamespace }), ...podWatches("pods")],
    indexes: [podsByNode],
    writes: [verbs(nodes, "patch"), statusVerbs(nodes, "patch"), statusVerbs(pods, "patch")],
    metrics: [zoneHealth, zoneSize, unhealthyNodes, evictions, nodeDuration, passDuration],
    newModel: () => new NodeMemory(),
    queues: {
      nodes: queue({ workers: 8, metricName: "node_lifecycle_controller", observe: observeNode, decide: decideNode }),
      pods: queue({ workers: 4, metricName: "node_lifecycle_controller_pods", observe: observePod, decide: decidePod }),
      // Upstream has no queues for these two: their keys are counted with the nodes.
      passes: queue({
        metricName: "node_lifecycle_controller",
        everyMs: monitorEveryMs,
        observe: observePass,
        decide: newDecidePass(settings),
        learn: newLearnPass(settings),
        report: reportPass,
      }),
      zones: queue({
        metricName: "node_lifecycle_controller",
        observe: observeZone,
        decide: decideZone,
        reserve: reserveZone,
        learn: learnZone,
        report: reportZone,
      }),
    },
  });
};
