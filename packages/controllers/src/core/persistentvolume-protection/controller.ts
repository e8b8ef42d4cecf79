// persistentvolume-protection-controller: keeps a PersistentVolume that is deleted until it is bound to no claim any more.
//
//   watches   PersistentVolumes
//   writes    the finalizer kubernetes.io/pv-protection of PersistentVolumes
//
// Promises
// - A volume that is not being deleted has the finalizer. The API server's admission adds it; a volume that lacks it nevertheless gets it here.
// - A volume that is being deleted keeps it as long as its phase is Bound, and loses it in every other phase.
// - Other finalizers are never touched.
import { itself, keyed, verbs } from "@kubeloop/core/contract";
import { persistentVolumes } from "@kubeloop/core/resources";
import { needsProtectionWork } from "../../domain/protection.ts";
import { decide, volumeFinalizer } from "./decide.ts";
import { observe } from "./observe.ts";

export interface PersistentVolumeProtectionSettings {
  /** How many volumes are worked on at a time: upstream's is 1, which no flag sets. */
  readonly workers?: number;
}

export const newPersistentVolumeProtectionController = ({ workers = 1 }: PersistentVolumeProtectionSettings = {}) =>
  keyed({
    name: "persistentvolume-protection-controller",
    metricName: "pvprotection",
    workers,
    primary: persistentVolumes,
    watches: [itself(persistentVolumes, { when: (change) => needsProtectionWork(change, volumeFinalizer) })],
    writes: [verbs(persistentVolumes, "update")],
    observe,
    decide,
  });
