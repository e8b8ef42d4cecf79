// Which event may help a pod that a plugin for volumes refused.
import { quantityValue } from "@kubeloop/core/api";
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { CSINode, CSIStorageCapacity } from "@kubeloop/core/types/storage/v1";
import { isLimited } from "../plugins/node-volume-limits.ts";
import { topologiesOf } from "../plugins/volume-zone.ts";
import { usesClaim } from "../volumes/claims.ts";
import { driverOf } from "../volumes/csi-migration.ts";
import { hasDiskConflict } from "../volumes/disk-conflicts.ts";
import { isDelayed } from "../volumes/pod-volumes.ts";
import { isChanged, isPlaced, type StorageEvent } from "./cluster-event.ts";
import type { PluginHints } from "./plugin-hints.ts";

export const volumeHints: Readonly<Record<string, PluginHints>> = {
  VolumeRestrictions: {
    node: (_, { change }) => change === "add" || change === "taints",
    pod: (pod, { change, before }) => change === "delete" && before !== undefined && hasSharedVolume(pod.pod, before),
    storage: ({ pod }, event) =>
      event.on === "persistentVolumeClaim" &&
      event.change === "add" &&
      event.after !== undefined &&
      usesClaim(pod, event.after, { ephemeral: false }),
  },
  NodeVolumeLimits: {
    pod: (_, { change, before }) =>
      change === "delete" && isPlaced(before) && (before.spec.volumes ?? []).some(isLimited),
    storage: ({ pod }, event) => wakesForLimits(pod, event),
  },
  VolumeBinding: {
    node: (_, { change }) => change === "add" || change === "labels" || change === "taints",
    storage: ({ pod }, event) => wakesForBinding(pod, event),
  },
  VolumeZone: {
    node: (_, { change }) => change === "add" || change === "labels" || change === "taints",
    storage: ({ pod }, event) => wakesForZone(pod, event),
  },
};

/** A disk that excludes the pod, or the same claim, whatever its access mode. */
function hasSharedVolume(pod: Pod, deleted: Pod): boolean {
  if (deleted.metadata.namespace !== pod.metadata.namespace) return false;
  const claims = new Set((deleted.spec.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName));
  const sharesClaim = (pod.spec.volumes ?? []).some(
    ({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined && claims.has(persistentVolumeClaim.claimName),
  );
  return sharesClaim || hasDiskConflict(pod, deleted);
}

function wakesForLimits(pod: Pod, event: StorageEvent): boolean {
  const { volumes = [] } = pod.spec;
  switch (event.on) {
    case "csiNode":
      return event.change === "add" || (event.change === "update" && isLimitRaised(event.before, event.after));
    case "persistentVolumeClaim":
      return event.change === "add" && event.after !== undefined && usesClaim(pod, event.after, { ephemeral: true });
    case "volumeAttachment":
      return (
        event.change === "delete" &&
        volumes.some(
          (volume) => volume.persistentVolumeClaim !== undefined || driverOf(volume) === event.before?.spec?.attacher,
        )
      );
    default:
      return false;
  }
}

function isLimitRaised(before: CSINode | undefined, after: CSINode | undefined): boolean {
  const had = new Map(before?.spec?.drivers.map(({ name, allocatable }) => [name, allocatable?.count ?? 0]));
  return (after?.spec?.drivers ?? []).some(({ name, allocatable }) => (allocatable?.count ?? 0) > (had.get(name) ?? 0));
}

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

function wakesForBinding(pod: Pod, event: StorageEvent): boolean {
  if (event.change === "delete" || event.after === undefined) return false;
  switch (event.on) {
    case "persistentVolume":
      return true;
    case "persistentVolumeClaim":
      return usesClaim(pod, event.after, { ephemeral: true });
    case "storageClass":
      return event.before === undefined || isChanged(event.before.allowedTopologies, event.after.allowedTopologies);
    case "csiNode":
      return (
        event.before === undefined ||
        event.before.metadata.annotations?.[migratedPlugins] !== event.after.metadata.annotations?.[migratedPlugins]
      );
    case "csiDriver": {
      const { name } = event.after.metadata;
      const isDropped = event.before?.spec?.storageCapacity === true && event.after.spec?.storageCapacity !== true;
      // As upstream, only drivers of inline volumes.
      return isDropped && (pod.spec.volumes ?? []).some(({ csi }) => csi !== undefined && csi.driver === name);
    }
    case "csiStorageCapacity":
      return event.before === undefined || isCapacityRaised(event.before, event.after);
    default:
      return false;
  }
}

function isCapacityRaised(before: CSIStorageCapacity, after: CSIStorageCapacity): boolean {
  const had = before.maximumVolumeSize ?? before.capacity;
  const has = after.maximumVolumeSize ?? after.capacity;
  return has !== undefined && (had === undefined || quantityValue(has) > quantityValue(had));
}

function wakesForZone(pod: Pod, event: StorageEvent): boolean {
  if (event.change === "delete" || event.after === undefined) return false;
  switch (event.on) {
    case "storageClass":
      return event.change === "add" && isDelayed(event.after);
    case "persistentVolumeClaim":
      return usesClaim(pod, event.after, { ephemeral: false });
    case "persistentVolume":
      return event.before === undefined || isChanged(topologiesOf(event.before), topologiesOf(event.after));
    default:
      return false;
  }
}
