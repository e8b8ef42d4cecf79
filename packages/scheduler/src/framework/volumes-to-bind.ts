// What a decision asks for besides the pod's own binding: volumes to bind to claims, and claims for which a volume must be made on the chosen node.
import type { PersistentVolume, PersistentVolumeClaim } from "@kubeloop/core/types/core/v1";

export interface VolumeBinding {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
}

/** One of both lists is not empty. */
export interface VolumesToBind {
  readonly bindings: readonly VolumeBinding[];
  /** Claims for which a volume is to be provisioned. */
  readonly provisions: readonly PersistentVolumeClaim[];
}
