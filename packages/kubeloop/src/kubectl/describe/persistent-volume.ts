// `describe persistentvolume`.
import type { corev1 } from "@kubeloop/core/api";
import { canonicalQuantity } from "@kubeloop/core/api";
import { printAccessModes, storageClassOf } from "./claim.ts";
import { Description, writeAnnotations, writeAttributes, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { printSince } from "./times.ts";
import { writeSharedSource } from "./volume-sources.ts";
import { printGoList, type Source, writeSource } from "./volume-writer.ts";

export function describePersistentVolume(volume: corev1.PersistentVolume, events: ShownEvents, nowMs: number): string {
  const { metadata, spec = {}, status = {} } = volume;
  const { claimRef } = spec;
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const terminating = `Terminating (lasts ${printSince(metadata.deletionTimestamp, nowMs)})`;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.line(0, "Finalizers:", printGoList(metadata.finalizers));
  to.line(0, "StorageClass:", storageClassOf(metadata, spec.storageClassName));
  to.line(0, "Status:", isTerminating ? terminating : status.phase);
  to.line(0, "Claim:", claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`);
  to.line(0, "Reclaim Policy:", spec.persistentVolumeReclaimPolicy);
  to.line(0, "Access Modes:", printAccessModes(spec.accessModes));
  if (spec.volumeMode !== undefined) to.line(0, "VolumeMode:", spec.volumeMode);
  to.line(0, "Capacity:", canonicalQuantity(spec.capacity?.["storage"] ?? "0"));
  writeNodeAffinity(to, spec.nodeAffinity);
  to.line(0, "Message:", status.message);
  to.line(0, "Source:");
  writePersistentSource(to, spec);
  writeEvents(to, events, nowMs);
  return to.toString();
}

function writeNodeAffinity(to: Description, affinity: corev1.VolumeNodeAffinity | undefined): void {
  if (affinity?.required === undefined) {
    to.line(0, "Node Affinity:", "<none>");
    return;
  }
  to.line(0, "Node Affinity:", "");
  const { nodeSelectorTerms = [] } = affinity.required;
  to.line(1, "Required Terms:", nodeSelectorTerms.length === 0 ? "<none>" : "");
  for (const [at, { matchExpressions = [] }] of nodeSelectorTerms.entries()) {
    const [first = "<none>", ...others] = matchExpressions.map(printRequirement);
    to.line(2, `Term ${at}:`, first);
    for (const other of others) to.line(2, "", other);
  }
}

function printRequirement({ key, operator, values = [] }: corev1.NodeSelectorRequirement): string {
  const list = values.length === 0 ? "" : ` [${values.join(", ")}]`;
  return `${key} ${operator.toLowerCase()}${list}`;
}

function writePersistentSource(to: Description, spec: corev1.PersistentVolumeSpec): void {
  const source = sourceOf(spec);
  if (source !== undefined) writeSource(to, source);
  if (spec.csi !== undefined) writeAttributes(to, "VolumeAttributes", spec.csi.volumeAttributes);
  else if (source === undefined && !writeSharedSource(to, spec, true)) to.line(1, "<unknown>");
}

/** Of the kinds of sources that only persistent volumes have in this way. */
function sourceOf({ local, azureFile, csi }: corev1.PersistentVolumeSpec): Source | undefined {
  if (local !== undefined)
    return ["LocalVolume (a persistent volume backed by local storage on a node)", ["Path:", local.path]];
  if (azureFile !== undefined)
    return [
      "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
      ["SecretName:", azureFile.secretName],
      ["SecretNamespace:", azureFile.secretNamespace],
      ["ShareName:", azureFile.shareName],
      ["ReadOnly:", azureFile.readOnly ?? false],
    ];
  if (csi === undefined) return undefined;
  return [
    "CSI (a Container Storage Interface (CSI) volume source)",
    ["Driver:", csi.driver],
    ["FSType:", csi.fsType],
    ["VolumeHandle:", csi.volumeHandle],
    ["ReadOnly:", csi.readOnly ?? false],
  ];
}
