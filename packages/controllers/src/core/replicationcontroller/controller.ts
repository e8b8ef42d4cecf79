// replicationcontroller-controller: keeps as many pods of a ReplicationController active as its spec wants, and reports in its status how many
// there are. Its rules are those of ReplicaSets (apps/replicaset: read that first); here is what differs.
//
// convert.ts shows a ReplicationController as the ReplicaSet that the rules see, and writes their status back; observe.ts looks at both kinds.
//
//   watches   ReplicationControllers, the pods they control, and pods without a controller that their selectors match
//   writes    pods (create, delete, adopt and release), the status of ReplicationControllers, events
//
// Promises
// - Those of the replicaset controller, for the same pods in the same order. The selector is a map of labels; one that is absent does nothing.
// - The status has no count of terminating pods: the kind has no such field.
import { keyed, owned, statusVerbs, subresourceVerbs, verbs } from "@kubeloop/core/contract";
import { pods, replicationControllers } from "@kubeloop/core/resources";
import { newDecide, sortingDeletionAgeRatio } from "../../apps/replicaset/decide.ts";
import { newReport } from "../../apps/replicaset/report.ts";
import { adoptable } from "../../domain/adoptable.ts";
import { podsByController, replicationControllersByController } from "../../domain/by-controller.ts";
import { replicationControllerKind, selectorOf } from "./convert.ts";
import { observe } from "./observe.ts";

export interface ReplicationControllerSettings {
  /** How many of them are worked on at a time: `--concurrent-rc-syncs`. */
  readonly workers?: number;
  /** Whether the annotation pod-deletion-cost counts: feature gate PodDeletionCost. */
  readonly usesDeletionCost?: boolean;
  /** How many pods are created or deleted at a time: upstream's BurstReplicas, which no flag sets. */
  readonly burst?: number;
}

const kind = replicationControllerKind;

export const newReplicationControllerController = ({
  workers = 5,
  usesDeletionCost = true,
  burst = 500,
}: ReplicationControllerSettings = {}) =>
  keyed({
    name: "replicationcontroller-controller",
    // The name that upstream's workqueue metrics have, for dashboards.
    metricName: "replicationmanager",
    workers,
    primary: replicationControllers,
    watches: [owned(pods), adoptable(pods, replicationControllers, selectorOf)],
    indexes: [podsByController, replicationControllersByController],
    // Before an adoption.
    reads: [verbs(replicationControllers, "get")],
    // Events need no entry. `finalizers` is written by nobody here: who may not update it may not make pods that block a deletion.
    writes: [
      verbs(pods, "create", "delete", "patch"),
      statusVerbs(replicationControllers, "update"),
      subresourceVerbs(replicationControllers, "finalizers", "update"),
    ],
    // One for both kinds, as upstream's. Upstream counts no stale syncs of this one.
    metrics: [sortingDeletionAgeRatio],
    observe,
    decide: newDecide({ kind, burst, usesDeletionCost }),
    report: newReport({ kind, countsTerminating: false }),
  });
