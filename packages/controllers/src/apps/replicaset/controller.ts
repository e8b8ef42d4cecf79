// replicaset-controller: keeps as many pods of a ReplicaSet active as its spec wants, and reports in its status how many there are.
//
// Read this first; then observe.ts (what is looked at), decide.ts (what is done about it), report.ts (what is said about it). A controller that
// says nothing has no report.ts. docs/writing-a-built-in-controller.md walks through the folder.
//
//   watches   ReplicaSets, the pods they control, and pods without a controller that their selectors match
//   writes    pods (create, delete, adopt and release), the status of ReplicaSets, events
//
// Promises
// - A pod counts as the set's own only if the set is its controller and its selector matches the pod. Pods without a controller that match
//   are adopted, after the set was read live; pods of its own that match no longer are released.
// - At most `burst` pods are created or deleted at a time. Creates start slowly (1, 2, 4, …), so that a quota that refuses them all is asked
//   once and not five hundred times. Excess pods are deleted in the order of domain/deletion-order.ts.
// - A set that is being deleted neither creates nor deletes: its pods are left to the garbage collector.
// - The condition ReplicaFailure is set when a create or delete fails, and removed by the next plan without a failure.
import type { appsv1 } from "@kubeloop/core/api";
import { counter, keyed, owned, statusVerbs, subresourceVerbs, verbs } from "@kubeloop/core/contract";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { adoptable } from "../../domain/adoptable.ts";
import { podsByController, replicaSetsByController } from "../../domain/by-controller.ts";
import { newDecide, sortingDeletionAgeRatio } from "./decide.ts";
import { observe } from "./observe.ts";
import { newReport } from "./report.ts";

export interface ReplicaSetSettings {
  /** How many sets are worked on at a time: `--concurrent-replicaset-syncs`. */
  readonly workers?: number;
  /** Whether the status counts terminating pods: feature gate DeploymentReplicaSetTerminatingReplicas. */
  readonly countsTerminating?: boolean;
  /** Whether the annotation pod-deletion-cost counts: feature gate PodDeletionCost. */
  readonly usesDeletionCost?: boolean;
  /** How many pods are created or deleted at a time: upstream's BurstReplicas, which no flag sets. */
  readonly burst?: number;
}

export const staleSyncSkips = counter({
  name: "replicaset_controller_stale_sync_skips_total",
  help: "Total number of ReplicaSet syncs skipped due to a stale watch cache.",
  labels: ["group", "resource"] as const,
});

const selectorOf = ({ spec }: appsv1.ReplicaSet) => spec?.selector;

export const newReplicaSetController = ({
  workers = 5,
  countsTerminating = true,
  usesDeletionCost = true,
  burst = 500,
}: ReplicaSetSettings = {}) =>
  keyed({
    name: "replicaset-controller",
    // The name that upstream's workqueue metrics have, for dashboards.
    metricName: "replicaset",
    workers,
    primary: replicaSets,
    watches: [owned(pods), adoptable(pods, replicaSets, selectorOf)],
    indexes: [podsByController, replicaSetsByController],
    // Before an adoption.
    reads: [verbs(replicaSets, "get")],
    // Events need no entry. `finalizers` is written by nobody here: who may not update it may not make pods that block a set's deletion.
    writes: [
      verbs(pods, "create", "delete", "patch"),
      statusVerbs(replicaSets, "update"),
      subresourceVerbs(replicaSets, "finalizers", "update"),
    ],
    metrics: [sortingDeletionAgeRatio],
    staleSyncSkips,
    observe,
    decide: newDecide({ burst, usesDeletionCost }),
    report: newReport({ countsTerminating }),
  });
