// persistentvolumeclaim-protection-controller: keeps a PersistentVolumeClaim that is deleted until no pod uses it any more.
//
// Read this first; then use.ts (when a pod uses a claim), wakes.ts (which changes make a claim worth a look), observe.ts and decide.ts.
//
//   watches   PersistentVolumeClaims, and the pods that refer to them
//   asks      for the pods of the namespace before a claim is let go: what a cache does not hold may be there all the same
//   writes    the finalizer kubernetes.io/pvc-protection of PersistentVolumeClaims; their condition Unused, where that is turned on
//
// Promises
// - A claim that is not being deleted has the finalizer. The API server's admission adds it; a claim that lacks it nevertheless gets it here.
// - A claim that is being deleted loses it when neither the cache nor the server has a pod that uses it. A pod uses a claim from the moment it
//   has a node until it is gone, even if it has ended; for a claim of its ephemeral volume, until the kubelet has let go of it.
// - Other finalizers are never touched.
// - With the gate PersistentVolumeClaimUnusedSinceTime the condition Unused says whether any pod that has not ended refers to the claim, and
//   since when. It is written before the finalizer, and never to a claim that is being deleted.
import { itself, keyed, mapped, statusVerbs, verbs } from "@kubeloop/core/contract";
import { persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { podsByClaim } from "../../domain/claims-of-pod.ts";
import { newDecide } from "./decide.ts";
import { observe } from "./observe.ts";
import { newClaimsFreedBy, newNeedsLook } from "./wakes.ts";

export interface PersistentVolumeClaimProtectionSettings {
  /** How many claims are worked on at a time: upstream's is 1, which no flag sets. */
  readonly workers?: number;
  /** Whether the condition Unused is kept: feature gate PersistentVolumeClaimUnusedSinceTime. */
  readonly reportsUnused?: boolean;
}

export const newPersistentVolumeClaimProtectionController = ({
  workers = 1,
  reportsUnused = false,
}: PersistentVolumeClaimProtectionSettings = {}) =>
  keyed({
    name: "persistentvolumeclaim-protection-controller",
    metricName: "pvcprotection",
    workers,
    primary: persistentVolumeClaims,
    watches: [
      itself(persistentVolumeClaims, { when: newNeedsLook({ reportsUnused }) }),
      mapped(pods, newClaimsFreedBy({ reportsUnused })),
    ],
    indexes: [podsByClaim],
    reads: [verbs(pods, "list")],
    writes: [verbs(persistentVolumeClaims, "update"), statusVerbs(persistentVolumeClaims, "update")],
    observe,
    decide: newDecide({ reportsUnused }),
  });
