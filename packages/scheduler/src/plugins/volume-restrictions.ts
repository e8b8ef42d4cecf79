// VolumeRestrictions: a disk that is used by another pod, and a claim with ReadWriteOncePod that is used anywhere in the cluster, keep a pod out.
import type { Cycle, NodeFilter, Plugin, Refusal } from "../framework/plugin.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import { hasDiskConflict, isRestrictedDisk } from "../volumes/disk-conflicts.ts";

const name = "VolumeRestrictions";
const diskConflict: Refusal = { code: "Unschedulable", plugin: name, reasons: ["node(s) had no available disk"] };
const claimConflict: Refusal = {
  code: "Unschedulable",
  plugin: name,
  reasons: [
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  ],
};

export const volumeRestrictions: Plugin = {
  name,
  preFilter: (cycle) => {
    const { pod, namespace } = cycle.pod;
    const { volumes = [] } = pod.spec;
    const exclusive = new Set<string>();
    for (const { persistentVolumeClaim } of volumes) {
      if (persistentVolumeClaim === undefined) continue;
      const { claimName } = persistentVolumeClaim;
      const claim = cycle.listers.persistentVolumeClaim(namespace, claimName);
      if (claim === undefined) return { refusal: claimNotFound(name, claimName) };
      if (claim.spec?.accessModes?.includes("ReadWriteOncePod") === true) exclusive.add(claimName);
    }
    const users = [...exclusive].filter((claim) => cycle.snapshot.isClaimUsed(`${namespace}/${claim}`)).length;
    if (users === 0 && !volumes.some(isRestrictedDisk)) return undefined;
    return { filter: filterOf(cycle, exclusive, users) };
  },
};

export function claimNotFound(plugin: string, claimName: string): Refusal {
  const reasons = [`persistentvolumeclaim "${claimName}" not found`];
  return { code: "UnschedulableAndUnresolvable", plugin, reasons };
}

/** `users` counts the uses of the exclusive claims; each of them makes every node impossible. */
function filterOf(cycle: Cycle, exclusive: ReadonlySet<string>, users: number): NodeFilter {
  let count = users;
  return {
    filter: (node) => {
      for (const existing of node.pods) if (hasDiskConflict(cycle.pod.pod, existing.pod)) return diskConflict;
      return count > 0 ? claimConflict : undefined;
    },
    addPod: (added) => {
      count += usesOf(added, exclusive);
    },
    removePod: (removed) => {
      count -= usesOf(removed, exclusive);
    },
    clone: () => filterOf(cycle, exclusive, count),
  };
}

/** As upstream, the namespace of the other pod is not looked at. */
function usesOf({ pod }: PodInfo, exclusive: ReadonlySet<string>): number {
  const used = (pod.spec.volumes ?? []).filter(({ persistentVolumeClaim }) =>
    exclusive.has(persistentVolumeClaim?.claimName ?? ""),
  );
  return used.length;
}
