// What must hold of a volume that is no object of its own, but told where it is used: by a driver, and with nothing that only an object
// can have.
import type { corev1 } from "@kubeloop/core/api";
import { isAbsent } from "../../shared/checks.ts";
import type { FaultPlace } from "../../shared/fault-place.ts";
import { checkSources } from "./check-sources.ts";
import { checkAccessModes, checkRecycledRoot } from "./check-volume.ts";

const context = "in the context of inline volumes";

export function checkInlineVolume(spec: corev1.PersistentVolumeSpec, place: FaultPlace): void {
  const { claimRef, capacity = {}, csi, accessModes = [], nodeAffinity, storageClassName, volumeMode } = spec;
  const { persistentVolumeReclaimPolicy: policy } = spec;
  const refuse = (field: string) => place.at(field).forbidden(`may not be specified ${context}`);
  const policyPlace = place.at("persistentVolumeReclaimPolicy");
  if (claimRef !== undefined) refuse("claimRef");
  if (Object.keys(capacity).length > 0) refuse("capacity");
  if (csi === undefined) place.at("csi").required(`has to be specified ${context}`);
  checkAccessModes(accessModes, place.at("accessModes"));
  if (!isAbsent(policy) && policy !== "Retain") policyPlace.forbidden(`may only be Retain ${context}`);
  if (nodeAffinity !== undefined) refuse("nodeAffinity");
  const { nodeAffinity: _, ...withoutAffinity } = spec;
  checkSources({ metadata: {}, spec: withoutAffinity } as corev1.PersistentVolume, place);
  checkRecycledRoot(spec, policyPlace);
  if (!isAbsent(storageClassName)) refuse("storageClassName");
  if (volumeMode !== undefined && volumeMode !== "Filesystem") {
    place.at("volumeMode").forbidden(`may not specify volumeMode other than Filesystem ${context}`);
  }
}
