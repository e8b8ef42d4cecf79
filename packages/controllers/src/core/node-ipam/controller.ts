// node-ipam-controller: gives every node a network for its pods, of each address family of the cluster one.
//
//   watches   nodes
//   writes    spec.podCIDR and spec.podCIDRs of nodes that have none (patch), events
//
// Promises
// - A network is one node's only, however many nodes are worked on at a time and however often an answer is lost: it is taken in the same
//   moment in which it is chosen, and free again when the server has refused it, or the node is gone.
// - What nodes have already is theirs, after a restart, too; also if it is none of the cluster's networks.
// - Networks of Services are never given to a node.
// - If none is left, the event CIDRNotAvailable says so; the node gets one when one is given back.
import { newController, queue, verbs } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import type { Cidr } from "./cidr.ts";
import { decide, learn, report, reserve } from "./decide.ts";
import { collect, metrics } from "./metrics.ts";
import { absorb, type ClusterRange, NodeNetworks } from "./model.ts";
import { observe } from "./observe.ts";

export interface NodeIpamSettings {
  /** Of each address family at most one: `--cluster-cidr`, with `--node-cidr-mask-size` and its like. */
  readonly ranges: readonly ClusterRange[];
  /** `--service-cluster-ip-range`. */
  readonly services?: readonly Cidr[];
  /** How many nodes are worked on at a time. No flag sets it. */
  readonly workers?: number;
}

/** Throws for ranges that do not fit: a node's network that is larger than the cluster's, or an IPv6 range of more than 2^16 networks. */
export const newNodeIpamController = ({ ranges, services = [], workers = 30 }: NodeIpamSettings) => {
  const newModel = () => new NodeNetworks(ranges, services);
  newModel();
  return newController<NodeNetworks>({
    name: "node-ipam-controller",
    primary: nodes,
    writes: [verbs(nodes, "patch")],
    metrics,
    collect,
    newModel,
    absorb,
    queues: {
      nodes: queue({ workers, metricName: "cidrallocator_node", observe, decide, reserve, learn, report }),
    },
  });
};
