// Turns what informers report about volumes into events for the queue.
import {
  lastStateOf,
  type ResourceEventHandlerRegistration,
  type SharedInformerFactory,
} from "@kubeloop/core/informer";
import type { StorageEvent, StorageObjects } from "../queue/cluster-event.ts";

interface Followed<T> {
  readonly informer: {
    addEventHandler(handler: {
      onAdd(object: T): void;
      onUpdate(before: T, after: T): void;
      onDelete(gone: Parameters<typeof lastStateOf<T>>[0]): void;
    }): ResourceEventHandlerRegistration;
  };
}

/** `changed` is called once for every change of an object, also for those that are there at the start. */
export function followStorage(
  informers: SharedInformerFactory,
  changed: (event: StorageEvent) => void,
): readonly ResourceEventHandlerRegistration[] {
  const { persistentVolumes, persistentVolumeClaims } = informers.core.v1;
  const { storageClasses, csiNodes, csiDrivers, csiStorageCapacities, volumeAttachments } = informers.storage.v1;
  const follow = <On extends keyof StorageObjects>(on: On, { informer }: Followed<StorageObjects[On]>) => {
    const say = (
      change: StorageEvent["change"],
      before: StorageObjects[On] | undefined,
      after: StorageObjects[On] | undefined,
    ) => changed({ on, change, before, after } as StorageEvent);
    return informer.addEventHandler({
      onAdd: (object) => say("add", undefined, object),
      onUpdate: (before, after) => say("update", before, after),
      onDelete: (gone) => say("delete", lastStateOf(gone), undefined),
    });
  };
  return [
    follow("persistentVolumeClaim", persistentVolumeClaims),
    follow("persistentVolume", persistentVolumes),
    follow("storageClass", storageClasses),
    follow("csiNode", csiNodes),
    follow("csiDriver", csiDrivers),
    follow("csiStorageCapacity", csiStorageCapacities),
    follow("volumeAttachment", volumeAttachments),
  ];
}
