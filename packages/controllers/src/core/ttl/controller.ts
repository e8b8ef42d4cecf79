// ttl-controller: tells every node, in the annotation node.alpha.kubernetes.io/ttl, for how many seconds its kubelet may keep secrets and
// ConfigMaps before it asks for them again. The more nodes there are, the longer, so that they do not overload the server.
//
//   watches   nodes
//   writes    that annotation (patch)
//
// Promises
// - The seconds follow from the number of nodes alone (model.ts), with hysteresis: a cluster at a boundary does not swing to and fro.
// - A node is written only if its annotation says another number, and only the annotation is written, whatever else has changed since.
// - When a boundary is passed, a node is told with its next update or resync. Kubelets update their nodes every few minutes at least, and
//   to write thousands of nodes at once is what this controller is there to prevent.
import { newController, queue, verbs } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { decide } from "./decide.ts";
import { ClusterSize } from "./model.ts";
import { observe } from "./observe.ts";

export interface TtlSettings {
  /** How many nodes are worked on at a time. No flag sets it. */
  readonly workers?: number;
}

export const newTtlController = ({ workers = 5 }: TtlSettings = {}) =>
  newController<ClusterSize>({
    name: "ttl-controller",
    primary: nodes,
    writes: [verbs(nodes, "patch")],
    newModel: () => new ClusterSize(),
    absorb(size, { type }) {
      if (type === "add") size.grow();
      if (type === "delete") size.shrink();
      return [];
    },
    queues: { nodes: queue({ workers, metricName: "ttlcontroller", observe, decide }) },
  });
