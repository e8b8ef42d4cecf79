// namespace-controller: empties a namespace whose deletion was asked for, and lets it go when nothing is left in it.
//
//   watches   Namespaces that are being deleted
//   asks      the namespace itself, what the server serves, and a list of every namespaced resource that can be deleted
//   writes    deletes all content; the status and the finalizer "kubernetes" of the namespace
//
// Promises
// - Nothing is done in the first five seconds: other API servers get time to hear of the deletion and to refuse new objects.
// - Pods go first. While there is one, nothing else is deleted: what protects others from them (a NetworkPolicy) outlives them.
// - A collection is deleted with one request where the server can do that, and else one object at a time.
// - The namespace is let go only when every list of the last look was empty, and none of them could not be read. A group that discovery cannot
//   read holds it: it may have objects in it.
// - The five conditions say what was found after the last deletion. While pods are left, NamespaceContentRemaining and
//   NamespaceFinalizersRemaining are False, as upstream's are: it counts only when it deletes the rest.
// - What is left because of grace periods or finalizers is looked at again when about half of the estimated time has passed; what is left
//   without such a reason is a failure, and tried again after 5 ms to 60 s.
import { itself, newController, queue, statusVerbs, subresourceVerbs, verbs } from "@kubeloop/core/contract";
import { namespaces } from "@kubeloop/core/resources";
import { decide } from "./decide.ts";
import { absorb, DeletionAttempts, learn } from "./model.ts";
import { observe } from "./observe.ts";
import { report } from "./report.ts";

export interface NamespaceSettings {
  /** How many namespaces are worked on at a time: `--concurrent-namespace-syncs`. */
  readonly workers?: number;
  /** How often every namespace is looked at again without a change: `--namespace-sync-period`. */
  readonly resyncMs?: number;
}

const graceMs = 5000;

export const newNamespaceController = ({ workers = 10, resyncMs = 300_000 }: NamespaceSettings = {}) =>
  newController<DeletionAttempts>({
    name: "namespace-controller",
    primary: namespaces,
    watches: [
      itself(namespaces, {
        afterMs: graceMs,
        resyncMs,
        when: ({ type, object }) => type !== "delete" && object.metadata.deletionTimestamp !== undefined,
      }),
    ],
    reads: [verbs(namespaces, "get"), verbs("*", "list")],
    writes: [
      verbs("*", "delete", "deletecollection"),
      statusVerbs(namespaces, "update"),
      subresourceVerbs(namespaces, "finalize", "update"),
    ],
    newModel: () => new DeletionAttempts(),
    absorb,
    queues: {
      namespaces: queue({
        metricName: "namespace",
        workers,
        retry: { baseMs: 5, maxMs: 60_000 },
        observe,
        decide,
        learn,
        report,
      }),
    },
  });
