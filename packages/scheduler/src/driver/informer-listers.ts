// The listers of a cycle, answered from shared informers' caches.
import type { SharedInformerFactory } from "@kubeloop/core/informer";
import type { Listers } from "../framework/listers.ts";

export function informerListers(informers: SharedInformerFactory): Listers {
  const { namespaces, services, replicationControllers } = informers.core.v1;
  const { replicaSets, statefulSets } = informers.apps.v1;
  const { podDisruptionBudgets } = informers.policy.v1;
  const { persistentVolumes, persistentVolumeClaims } = informers.core.v1;
  const { storageClasses, csiNodes, csiDrivers, csiStorageCapacities, volumeAttachments } = informers.storage.v1;
  const listers = {
    namespaces: namespaces.lister,
    services: services.lister,
    replicationControllers: replicationControllers.lister,
    replicaSets: replicaSets.lister,
    statefulSets: statefulSets.lister,
    podDisruptionBudgets: podDisruptionBudgets.lister,
    persistentVolumes: persistentVolumes.lister,
    persistentVolumeClaims: persistentVolumeClaims.lister,
    storageClasses: storageClasses.lister,
    csiNodes: csiNodes.lister,
    csiDrivers: csiDrivers.lister,
    csiStorageCapacities: csiStorageCapacities.lister,
    volumeAttachments: volumeAttachments.lister,
  };
  return {
    namespace: (name) => listers.namespaces.get(name),
    namespaces: () => listers.namespaces.list(),
    services: (namespace) => listers.services.namespace(namespace).list(),
    replicationController: (namespace, name) => listers.replicationControllers.namespace(namespace).get(name),
    replicaSet: (namespace, name) => listers.replicaSets.namespace(namespace).get(name),
    statefulSet: (namespace, name) => listers.statefulSets.namespace(namespace).get(name),
    podDisruptionBudgets: () => listers.podDisruptionBudgets.list(),
    persistentVolumeClaim: (namespace, name) => listers.persistentVolumeClaims.namespace(namespace).get(name),
    persistentVolume: (name) => listers.persistentVolumes.get(name),
    persistentVolumes: () => listers.persistentVolumes.list(),
    storageClass: (name) => listers.storageClasses.get(name),
    csiNode: (name) => listers.csiNodes.get(name),
    csiDriver: (name) => listers.csiDrivers.get(name),
    csiStorageCapacities: () => listers.csiStorageCapacities.list(),
    volumeAttachments: () => listers.volumeAttachments.list(),
  };
}
