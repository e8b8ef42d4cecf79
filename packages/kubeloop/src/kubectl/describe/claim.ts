// What a persistent volume claim and the claim template inside of a pod have in common.
import type { corev1, metav1 } from "@kubeloop/core/api";
import { canonicalQuantity } from "@kubeloop/core/api";
import { type Description, writeAnnotations, writeLabels } from "./description.ts";
import { printGoList } from "./volume-writer.ts";

interface Claim {
  readonly metadata?: metav1.ObjectMeta;
  readonly spec?: corev1.PersistentVolumeClaimSpec;
  readonly status?: corev1.PersistentVolumeClaimStatus;
}

/** Only a claim of its own has a name and a status; a nested one has the margin of what it is in. */
export function writeClaim(to: Description, claim: Claim, margin = "", status?: string): void {
  const { metadata = {}, spec = {} } = claim;
  const line = (...cells: readonly (string | undefined)[]) => to.write(`${margin}${cells.join("\t")}\n`);
  if (status !== undefined) {
    line("Name:", metadata.name);
    line("Namespace:", metadata.namespace);
  }
  line("StorageClass:", storageClassOf(metadata, spec.storageClassName));
  if (status !== undefined) line("Status:", status);
  line("Volume:", spec.volumeName);
  writeLabels(to, "Labels", metadata.labels, margin);
  writeAnnotations(to, "Annotations", metadata.annotations, margin);
  if (status !== undefined) line("Finalizers:", printGoList(metadata.finalizers));
  const isBound = (spec.volumeName ?? "") !== "";
  line("Capacity:", isBound ? canonicalQuantity(claim.status?.capacity?.["storage"] ?? "0") : "");
  line("Access Modes:", isBound ? printAccessModes(claim.status?.accessModes) : "");
  if (spec.volumeMode !== undefined) line("VolumeMode:", spec.volumeMode);
  if (spec.dataSource === undefined) return;
  line("DataSource:");
  const { apiGroup, kind, name } = spec.dataSource;
  if (apiGroup !== undefined) line("  APIGroup:", apiGroup);
  line("  Kind:", kind);
  line("  Name:", name);
}

/** An old annotation goes before the field. */
export function storageClassOf({ annotations }: metav1.ObjectMeta, className: string | undefined): string {
  return annotations?.["volume.beta.kubernetes.io/storage-class"] ?? className ?? "";
}

const accessModes = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

export function printAccessModes(modes: readonly string[] = []): string {
  return accessModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}
