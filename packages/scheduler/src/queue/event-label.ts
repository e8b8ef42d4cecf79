// What metrics call an event: upstream's names, so that dashboards carry over.
import type { ClusterEvent, NodeChange, PodChange, StorageObjects } from "./cluster-event.ts";

const nodeLabels: Readonly<Record<NodeChange, string>> = {
  add: "Add",
  delete: "Delete",
  allocatable: "UpdateNodeAllocatable",
  labels: "UpdateNodeLabel",
  taints: "UpdateNodeTaint",
  conditions: "UpdateNodeCondition",
  annotations: "UpdateNodeAnnotation",
  "declared features": "UpdateNodeDeclaredFeature",
};

const podLabels: Readonly<Record<PodChange, string>> = {
  add: "Add",
  delete: "Delete",
  labels: "UpdatePodLabel",
  "scale down": "UpdatePodScaleDown",
  "gates eliminated": "UpdatePodSchedulingGatesEliminated",
  tolerations: "UpdatePodToleration",
  update: "Update",
};

const storageLabels: Readonly<Record<keyof StorageObjects, string>> = {
  persistentVolumeClaim: "PersistentVolumeClaim",
  persistentVolume: "PersistentVolume",
  storageClass: "storage.k8s.io/StorageClass",
  csiNode: "storage.k8s.io/CSINode",
  csiDriver: "storage.k8s.io/CSIDriver",
  csiStorageCapacity: "storage.k8s.io/CSIStorageCapacity",
  volumeAttachment: "storage.k8s.io/VolumeAttachment",
};

const changeLabels = { add: "Add", update: "Update", delete: "Delete" } as const;

/** A change of a pod that was deleted without a node, or of one that waits, is one of an unschedulable pod, unless it held a place. */
export function eventLabel(event: ClusterEvent): string {
  if (event.on === "timeout") return "UnschedulableTimeout";
  if (event.on === "node") return `Node${nodeLabels[event.change]}`;
  if (event.on !== "pod") return `${storageLabels[event.on]}${changeLabels[event.change]}`;
  const isWaiting = event.change !== "delete" && (event.after?.spec.nodeName ?? "") === "";
  return `${isWaiting ? "UnschedulablePod" : "AssignedPod"}${podLabels[event.change]}`;
}
