// Which other API objects a pod refers to. A mirror pod may refer to none: its node could otherwise read whatever it names there.
import { type corev1, quote } from "@kubeloop/core/api";
import { namesConfigMap, namesSecret } from "../secret-references.ts";

export type ApiReference =
  | { readonly kind: "reference"; readonly what: string }
  /** A volume without any known source. */
  | { readonly kind: "unknown"; readonly why: string };

/** Volumes whose kubelet plugin reads no API object. */
const plainSources: readonly (keyof corev1.Volume)[] = [
  "awsElasticBlockStore",
  "azureDisk",
  "cephfs",
  "cinder",
  "downwardAPI",
  "emptyDir",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "hostPath",
  "image",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
];

const referringSources: readonly (readonly [field: keyof corev1.Volume, what: string])[] = [
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];

const projectedSources: readonly (readonly [field: keyof corev1.VolumeProjection, what: string])[] = [
  ["configMap", "configmaps (via projected volumes)"],
  ["secret", "secrets (via projected volumes)"],
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
];

/** Returns the first in upstream's order. */
export function findApiReference(spec: corev1.PodSpec): ApiReference | undefined {
  if ((spec.serviceAccountName ?? "") !== "") return { kind: "reference", what: "serviceaccounts" };
  if (namesSecret(spec)) return { kind: "reference", what: "secrets" };
  if (namesConfigMap(spec)) return { kind: "reference", what: "configmaps" };
  if ((spec.resourceClaims ?? []).length > 0) return { kind: "reference", what: "resourceclaims" };
  for (const volume of spec.volumes ?? []) {
    const found = findInVolume(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInVolume(volume: corev1.Volume): ApiReference | undefined {
  if (plainSources.some((field) => volume[field] !== undefined)) return undefined;
  const [, what] = referringSources.find(([field]) => volume[field] !== undefined) ?? [];
  if (what !== undefined) return { kind: "reference", what };
  // Upstream's message has two spaces.
  if (volume.projected === undefined) {
    return { kind: "unknown", why: `unknown volume type for volume  ${quote(volume.name)}` };
  }
  for (const source of volume.projected.sources ?? []) {
    const [, projected] = projectedSources.find(([field]) => source[field] !== undefined) ?? [];
    if (projected !== undefined) return { kind: "reference", what: projected };
    if (source.downwardAPI === undefined) {
      return { kind: "unknown", why: `unknown source for projected volume ${quote(volume.name)}` };
    }
  }
  return undefined;
}
