// The volumes of a pod or of a pod template. Each kind of volume has a description and a few facts; claims inside of a pod are nested.
import type { corev1 } from "@kubeloop/core/api";
import { canonicalQuantity, quantitySign } from "@kubeloop/core/api";
import { writeClaim } from "./claim.ts";
import { type Description, writeAttributes } from "./description.ts";
import { writeSharedSource } from "./volume-sources.ts";
import { optionalFact, type Source, writeSource } from "./volume-writer.ts";

export function writeVolumes(to: Description, volumes: readonly corev1.Volume[] = [], isTemplate = false): void {
  const space = isTemplate ? "  " : "";
  if (volumes.length === 0) {
    to.write(`${space}Volumes:\t<none>\n`);
    return;
  }
  to.write(`${space}Volumes:\n`);
  for (const volume of volumes) {
    to.line(1, `${isTemplate ? " " : ""}${volume.name}:`);
    const source = sourceOf(volume);
    if (source !== undefined) writeSource(to, source);
    else if (volume.projected !== undefined) writeProjected(to, volume.projected);
    else if (volume.ephemeral !== undefined) writeEphemeral(to, volume.ephemeral);
    else if (volume.downwardAPI !== undefined) writeDownwardApi(to, volume.downwardAPI);
    else if (volume.csi !== undefined) writeCsi(to, volume.csi);
    else if (!writeSharedSource(to, volume)) to.line(1, "<unknown>");
  }
}

function sourceOf(volume: corev1.Volume): Source | undefined {
  const { emptyDir, gitRepo, secret, configMap, persistentVolumeClaim, azureFile, image } = volume;
  if (emptyDir !== undefined) {
    const size = emptyDir.sizeLimit ?? "0";
    return [
      "EmptyDir (a temporary directory that shares a pod's lifetime)",
      ["Medium:", emptyDir.medium],
      ["SizeLimit:", quantitySign(size) > 0 ? canonicalQuantity(size) : "<unset>"],
    ];
  }
  if (gitRepo !== undefined)
    return [
      "GitRepo (a volume that is pulled from git when the pod is created)",
      ["Repository:", gitRepo.repository],
      ["Revision:", gitRepo.revision],
    ];
  if (secret !== undefined)
    return ["Secret (a volume populated by a Secret)", ["SecretName:", secret.secretName], optionalFact(secret)];
  if (configMap !== undefined)
    return ["ConfigMap (a volume populated by a ConfigMap)", ["Name:", configMap.name], optionalFact(configMap)];
  if (persistentVolumeClaim !== undefined)
    return [
      "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
      ["ClaimName:", persistentVolumeClaim.claimName],
      ["ReadOnly:", persistentVolumeClaim.readOnly ?? false],
    ];
  if (azureFile !== undefined)
    return [
      "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
      ["SecretName:", azureFile.secretName],
      ["ShareName:", azureFile.shareName],
      ["ReadOnly:", azureFile.readOnly ?? false],
    ];
  if (image !== undefined)
    return [
      "Image (a container image or OCI artifact)",
      ["Reference:", image.reference],
      ["PullPolicy:", image.pullPolicy],
    ];
  return undefined;
}

function writeProjected(to: Description, { sources = [] }: corev1.ProjectedVolumeSource): void {
  to.line(2, "Type:", "Projected (a volume that contains injected data from multiple sources)");
  for (const { secret, downwardAPI, configMap, serviceAccountToken } of sources) {
    if (secret !== undefined) {
      to.line(2, "SecretName:", secret.name);
      to.line(2, ...optionalFact(secret));
    } else if (downwardAPI !== undefined) {
      to.line(2, "DownwardAPI:", "true");
    } else if (configMap !== undefined) {
      to.line(2, "ConfigMapName:", configMap.name);
      to.line(2, ...optionalFact(configMap));
    } else if (serviceAccountToken !== undefined) {
      to.line(2, "TokenExpirationSeconds:", serviceAccountToken.expirationSeconds);
    }
  }
}

function writeEphemeral(to: Description, { volumeClaimTemplate }: corev1.EphemeralVolumeSource): void {
  const what = "an inline specification for a volume that gets created and deleted with the pod";
  to.line(2, "Type:", `EphemeralVolume (${what})`);
  if (volumeClaimTemplate !== undefined) writeClaim(to, volumeClaimTemplate, "    ");
}

function writeDownwardApi(to: Description, { items = [] }: corev1.DownwardAPIVolumeSource): void {
  to.line(2, "Type:", "DownwardAPI (a volume populated by information about the pod)");
  to.line(2, "Items:");
  for (const { fieldRef, resourceFieldRef, path } of items) {
    if (fieldRef !== undefined) to.line(3, `${fieldRef.fieldPath} -> ${path}`);
    if (resourceFieldRef !== undefined) to.line(3, `${resourceFieldRef.resource} -> ${path}`);
  }
}

function writeCsi(to: Description, csi: corev1.CSIVolumeSource): void {
  writeSource(to, [
    "CSI (a Container Storage Interface (CSI) volume source)",
    ["Driver:", csi.driver],
    ["FSType:", csi.fsType],
    ["ReadOnly:", csi.readOnly ?? false],
  ]);
  writeAttributes(to, "VolumeAttributes", csi.volumeAttributes);
}
