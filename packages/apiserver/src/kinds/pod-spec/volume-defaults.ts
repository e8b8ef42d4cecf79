// What a volume gets where nothing is said. In place; done twice it changes nothing.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { setClaimSpecDefaults } from "../shared/claim-spec.ts";
import { pullPolicyFor } from "./container-defaults.ts";

type Volume = Draft<corev1.Volume>;

/** 0644 */
const fileMode = 0o644;
const hourSeconds = 3600;

export function setVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === "name")) volume.emptyDir = {};
  const { image, hostPath, secret, configMap, downwardAPI, projected, ephemeral } = volume;
  if (image !== undefined) image.pullPolicy ||= pullPolicyFor(image.reference);
  if (hostPath !== undefined) hostPath.type ??= "";
  if (secret !== undefined) secret.defaultMode ??= fileMode;
  if (configMap !== undefined) configMap.defaultMode ??= fileMode;
  if (downwardAPI !== undefined) {
    downwardAPI.defaultMode ??= fileMode;
    setFileDefaults(downwardAPI.items);
  }
  if (projected !== undefined) setProjectedDefaults(projected);
  if (ephemeral?.volumeClaimTemplate !== undefined) setClaimSpecDefaults(ephemeral.volumeClaimTemplate.spec);
  setOldSourceDefaults(volume);
}

function setProjectedDefaults(projected: Draft<corev1.ProjectedVolumeSource>): void {
  projected.defaultMode ??= fileMode;
  for (const { downwardAPI, serviceAccountToken } of projected.sources ?? []) {
    setFileDefaults(downwardAPI?.items);
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= hourSeconds;
  }
}

function setFileDefaults(files: Draft<readonly corev1.DownwardAPIVolumeFile[]> | undefined): void {
  for (const { fieldRef } of files ?? []) if (fieldRef !== undefined) fieldRef.apiVersion ||= "v1";
}

/** Of volumes that drivers provide today; the fields are still there. */
function setOldSourceDefaults({ iscsi, rbd, azureDisk, scaleIO }: Volume): void {
  if (iscsi !== undefined) iscsi.iscsiInterface ||= "default";
  if (rbd !== undefined) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= "Shared";
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}
