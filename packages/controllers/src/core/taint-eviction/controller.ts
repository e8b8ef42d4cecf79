// taint-eviction-controller: deletes pods from nodes with taints of the effect NoExecute that they do not tolerate, or not any longer.
//
//   watches   pods and nodes
//   reads     a pod that it is about to evict, live
//   writes    the condition DisruptionTarget of pods, deletes pods, events
//
// Promises
// - A pod that does not tolerate all NoExecute taints of its node is deleted at once. One that does is deleted when the shortest
//   tolerationSeconds of the tolerations that it uses are over, counted from when the controller saw it on the tainted node; never, if none of
//   them has any. Zero or less is at once.
// - A time that runs is not begun anew when taints change, as long as the pod is to be deleted at some time; it is cancelled when the taints go
//   or are tolerated for ever. If they come again, it begins anew.
// - Before a pod is deleted it has the condition DisruptionTarget, or it is not deleted and tried again.
// - What is deleted is the pod that was seen: one made anew under its name has its own time. A pod that is being deleted is told of and marked,
//   and not deleted once more.
// - A change costs as much as the pods of its node, whatever else there is.
import { newController, queue, statusVerbs, verbs } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { podsByNode } from "../../domain/pods-by-node.ts";
import { decideNode, deletionDuration, deletions, learn, newDecide, report } from "./decide.ts";
import { Evictions } from "./model.ts";
import { observe, observeNode, watches } from "./observe.ts";

export interface TaintEvictionSettings {
  /** How many nodes, and how many pods, are worked on at a time. No flag sets it. */
  readonly workers?: number;
  /** Whether tolerations may compare numbers: feature gate TaintTolerationComparisonOperators. */
  readonly comparisonOperators?: boolean;
}

export const newTaintEvictionController = ({ workers = 8, comparisonOperators = false }: TaintEvictionSettings = {}) =>
  newController<Evictions>({
    name: "taint-eviction-controller",
    primary: pods,
    watches,
    indexes: [podsByNode],
    reads: [verbs(pods, "get")],
    writes: [statusVerbs(pods, "patch"), verbs(pods, "delete")],
    metrics: [deletions, deletionDuration],
    newModel: () => new Evictions(),
    queues: {
      pods: queue({
        workers,
        metricName: "noexec_taint_pod",
        observe,
        decide: newDecide({ comparisonOperators }),
        learn,
        report,
      }),
      nodes: queue({ workers, metricName: "noexec_taint_node", observe: observeNode, decide: decideNode }),
    },
  });
