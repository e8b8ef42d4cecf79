// garbage-collector-controller: deletes what nobody owns any more, lets owners that are deleted in the foreground wait for their dependents,
// and lets dependents of owners that are deleted with the policy Orphan live on.
//
// Read this first; then model.ts (the owner graph), observe.ts, decide.ts (attemptToDelete), decide-orphan.ts (attemptToOrphan) and learn.ts.
// Keys are uids. What changes in the graph adds keys to attemptToDelete and attemptToOrphan; to the first through graphChanges, if they are many.
//
//   watches   the metadata of everything that can be listed, watched and deleted, but events; as discovery changes
//   writes    deletes anything; patches owner references and the finalizers foregroundDeletion and orphan; events
//
// Promises
// - Nothing is deleted on the word of a cache: each owner is read live, unless it is known to be gone, and so is the object, unless all its
//   owners are. A kind or an owner that cannot be read is concluded nothing from.
// - Exactly what was judged is deleted: uid and resourceVersion are preconditions.
// - An owner counts only in the namespace of its dependent, or cluster-scoped. A reference to one in another namespace is absent, and told of
//   in the event OwnerRefInvalidNamespace. A cluster-scoped object with a namespaced owner is never deleted.
// - Workers start when all caches have synced, or after the driver's `syncTimeoutMs` without those that have not.
import { KubeloopError } from "@kubeloop/core/base";
import { cached, counter, newController, nothing, queue, verbs } from "@kubeloop/core/contract";
import { decideItem } from "./decide.ts";
import { decideOrphan } from "./decide-orphan.ts";
import { learnFromItem, learnFromOwner } from "./learn.ts";
import { changesQueue, deleteQueue, OwnerGraph, orphanQueue } from "./model.ts";
import { observeItem, observeOwner } from "./observe.ts";
import { deletableResources } from "./served-kinds.ts";

export interface GarbageCollectorSettings {
  /** How many objects are worked on at a time, for each of the two queues: `--concurrent-gc-syncs`. */
  readonly workers?: number;
  /** The owner graph to fill, empty; for those who want to look at it. */
  readonly graph?: OwnerGraph;
}

export const resourcesSyncErrors = counter({
  name: "garbagecollector_controller_resources_sync_error_total",
  help: "Number of garbage collector resources sync errors",
});

export const newGarbageCollectorController = ({ workers = 20, graph }: GarbageCollectorSettings = {}) =>
  newController<OwnerGraph>({
    name: "garbage-collector-controller",
    watches: (served) => {
      const resources = deletableResources(served);
      // No server serves nothing: watches stay as they are.
      if (resources.length === 0) throw new KubeloopError("discovery reports no resources", { reason: "NoResources" });
      return resources.map((resource) => cached(resource, { metadataOnly: true }));
    },
    discoveryErrors: resourcesSyncErrors,
    onSyncTimeout: "start",
    reads: [verbs("*", "get")],
    writes: [verbs("*", "delete", "patch")],
    newModel: () => graph ?? new OwnerGraph(),
    absorb: (model, change) => model.absorb(change),
    queues: {
      [deleteQueue]: queue({
        metricName: "garbage_collector_attempt_to_delete",
        workers,
        observe: observeItem,
        decide: decideItem,
        learn: learnFromItem,
      }),
      [orphanQueue]: queue({
        metricName: "garbage_collector_attempt_to_orphan",
        workers,
        observe: observeOwner,
        decide: decideOrphan,
        learn: learnFromOwner,
      }),
      [changesQueue]: queue<string, undefined, OwnerGraph>({
        metricName: "garbage_collector_graph_changes",
        observe: (uid, { model }) => (model.isToTellDependents(uid) ? uid : undefined),
        decide: () => nothing("its dependents are to be looked at"),
        learn: (model, uid) => model.nextDependents(uid),
      }),
    },
  });
