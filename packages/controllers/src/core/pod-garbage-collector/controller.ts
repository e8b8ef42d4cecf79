// pod-garbage-collector-controller: deletes, without grace, pods that nobody else will delete.
//
//   watches   Pods and Nodes, to read them
//   asks      whether a node that is missing is really gone
//   writes    the status of pods, and deletes them
//
// Every 20 seconds it takes
// - pods that have ended, where there are more than the threshold: evicted ones first, then the oldest;
// - pods that are being deleted on a node that is out of service (not ready, and tainted so by an administrator);
// - pods on a node that does not exist. It must have been missing for 40 seconds and a live read must not find it;
// - pods that are being deleted and were never given a node.
//
// Promises
// - A pod that has not ended is marked Failed before it is deleted, or no one would know how it ended; one whose node is gone also gets the
//   condition DisruptionTarget. If that cannot be written, the pod is not deleted until the next sweep.
// - What is written is for the pod that was seen: one made anew under its name is left alone.
// - A pod that is deleted without grace already, and only held by finalizers, is not deleted again and again.
// - A sweep looks at pods that have ended or are being deleted, and at the names of nodes, not at all pods.
import { cached, newController, queue, statusVerbs, verbs } from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import { podsByNode } from "../../domain/pods-by-node.ts";
import { deletedPods, failedDeletions, newDecide } from "./decide.ts";
import { absorb, learn, SeenNodes } from "./model.ts";
import { collectable, observe } from "./observe.ts";
import { report } from "./report.ts";

export interface PodGarbageCollectorSettings {
  /** How many pods that have ended may stay; all if 0 or less: `--terminated-pod-gc-threshold`. */
  readonly terminatedThreshold?: number;
  /** Upstream's gcCheckPeriod, which no flag sets. */
  readonly everyMs?: number;
  /** How long a node must have been missing: upstream's quarantineTime, which no flag sets. */
  readonly quarantineMs?: number;
}

export const newPodGarbageCollector = ({
  terminatedThreshold = 12_500,
  everyMs = 20_000,
  quarantineMs = 40_000,
}: PodGarbageCollectorSettings = {}) =>
  newController<SeenNodes>({
    name: "pod-garbage-collector-controller",
    watches: [cached(pods), cached(nodes)],
    indexes: [collectable, podsByNode],
    reads: [verbs(nodes, "get")],
    writes: [statusVerbs(pods, "patch"), verbs(pods, "delete")],
    metrics: [deletedPods, failedDeletions],
    newModel: () => new SeenNodes(),
    absorb,
    queues: {
      // Upstream's only queue here is the one of nodes in quarantine, which is part of our sweep.
      sweep: queue({
        metricName: "orphaned_pods_nodes",
        everyMs,
        observe,
        decide: newDecide({ terminatedThreshold, quarantineMs }),
        learn,
        report,
      }),
    },
  });
