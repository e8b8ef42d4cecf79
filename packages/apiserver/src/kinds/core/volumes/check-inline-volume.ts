// What must hold of a volume that is no object of its own, but told where it is used: by a driver, and with nothing that only an object
// can have.
import type { corev1 } from "@kubeloop/core/api";
import { isAbsent } from "../../shared/checks.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import { checkSources } from "./check-sources.ts";
import { checkAccessModes, checkRecycledRoot } from "./check-volume.ts";

const context = "in the context of inline volumes";

export function checkInlineVolume(spec: corev1.PersistentVolumeSpec, fldPath: ValidationPath): void {
  const { claimRef, capacity = {}, csi, accessModes = [], nodeAffinity, storageClassName, volumeMode } = spec;
  const { persistentVolumeReclaimPolicy: policy } = spec;
  const refuse = (field: string) => fldPath.at(field).forbidden(`may not be specified ${context}`);
  const policyPath = fldPath.at("persistentVolumeReclaimPolicy");
  if (claimRef !== undefined) refuse("claimRef");
  if (Object.keys(capacity).length > 0) refuse("capacity");
  if (csi === undefined) fldPath.at("csi").required(`has to be specified ${context}`);
  checkAccessModes(accessModes, fldPath.at("accessModes"));
  if (!isAbsent(policy) && policy !== "Retain") policyPath.forbidden(`may only be Retain ${context}`);
  if (nodeAffinity !== undefined) refuse("nodeAffinity");
  const { nodeAffinity: _, ...withoutAffinity } = spec;
  checkSources({ metadata: {}, spec: withoutAffinity } as corev1.PersistentVolume, fldPath);
  checkRecycledRoot(spec, policyPath);
  if (!isAbsent(storageClassName)) refuse("storageClassName");
  if (volumeMode !== undefined && volumeMode !== "Filesystem") {
    fldPath.at("volumeMode").forbidden(`may not specify volumeMode other than Filesystem ${context}`);
  }
}
