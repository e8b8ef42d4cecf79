// What a cycle reads besides nodes and pods. A driver answers from its caches; tests answer from lists. Absent objects are `undefined`.
import type { ReplicaSet, StatefulSet } from "@kubeloop/core/types/apps/v1";
import type {
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicationController,
  Service,
} from "@kubeloop/core/types/core/v1";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "@kubeloop/core/types/storage/v1";

export interface Listers {
  namespace(name: string): Namespace | undefined;
  namespaces(): Iterable<Namespace>;
  services(namespace: string): Iterable<Service>;
  replicationController(namespace: string, name: string): ReplicationController | undefined;
  replicaSet(namespace: string, name: string): ReplicaSet | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
  podDisruptionBudgets(): Iterable<PodDisruptionBudget>;
  persistentVolumeClaim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  persistentVolume(name: string): PersistentVolume | undefined;
  persistentVolumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): CSINode | undefined;
  csiDriver(name: string): CSIDriver | undefined;
  csiStorageCapacities(): Iterable<CSIStorageCapacity>;
  volumeAttachments(): Iterable<VolumeAttachment>;
}

/** Listers of a cluster that has none of these objects. */
export const noListers: Listers = {
  namespace: () => undefined,
  namespaces: () => [],
  services: () => [],
  replicationController: () => undefined,
  replicaSet: () => undefined,
  statefulSet: () => undefined,
  podDisruptionBudgets: () => [],
  persistentVolumeClaim: () => undefined,
  persistentVolume: () => undefined,
  persistentVolumes: () => [],
  storageClass: () => undefined,
  csiNode: () => undefined,
  csiDriver: () => undefined,
  csiStorageCapacities: () => [],
  volumeAttachments: () => [],
};
