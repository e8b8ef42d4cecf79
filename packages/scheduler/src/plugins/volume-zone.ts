// VolumeZone: the zone and region labels of a bound volume must be those of the node. A volume may be in several zones, `a__b`; a node without any such label
// takes every volume.
import type { PersistentVolume } from "@kubeloop/core/types/core/v1";
import type { Cycle, Plugin, Refusal } from "../framework/plugin.ts";
import { classOfClaim } from "../volumes/claims.ts";
import { isDelayed } from "../volumes/pod-volumes.ts";
import { claimNotFound } from "./volume-restrictions.ts";

const name = "VolumeZone";
const refuse = (reason: string): Refusal => ({
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: [reason],
});
const conflict = refuse("node(s) had no available volume zone");

/** The old label of each is matched by the new one of the node, too. */
const newLabels: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["topology.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["topology.kubernetes.io/region", "topology.kubernetes.io/region"],
]);

export interface VolumeTopology {
  readonly key: string;
  readonly values: readonly string[];
}

export const volumeZone: Plugin = {
  name,
  preFilter: (cycle) => {
    const topologies = topologiesOfPod(cycle);
    if ("refusal" in topologies) return topologies;
    if (topologies.length === 0) return undefined;
    return {
      filter: {
        filter: ({ labels }) => {
          if (![...newLabels.keys()].some((key) => labels[key] !== undefined)) return undefined;
          const isMet = topologies.every(({ key, values }) => {
            const value = labels[key] ?? labels[newLabels.get(key) ?? ""];
            return value !== undefined && values.includes(value);
          });
          return isMet ? undefined : conflict;
        },
      },
    };
  },
};

/** Returns what the labels of a volume say about where it is. A label with an empty zone in its list is ignored. */
export function topologiesOf({ metadata: { labels = {} } }: PersistentVolume): readonly VolumeTopology[] {
  return [...newLabels.keys()].flatMap((key) => {
    const values = labels[key]?.split("__").map((value) => value.trim()) ?? [""];
    return values.includes("") ? [] : [{ key, values }];
  });
}

function topologiesOfPod({
  pod: { pod, namespace },
  listers,
}: Cycle): readonly VolumeTopology[] | { readonly refusal: Refusal } {
  const topologies: VolumeTopology[] = [];
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    const claim = listers.persistentVolumeClaim(namespace, claimName);
    if (claim === undefined) return { refusal: claimNotFound(name, claimName) };
    const volumeName = claim.spec?.volumeName ?? "";
    if (volumeName !== "") {
      const volume = listers.persistentVolume(volumeName);
      if (volume === undefined) return { refusal: refuse(`persistentvolume "${volumeName}" not found`) };
      topologies.push(...topologiesOf(volume));
      continue;
    }
    const className = classOfClaim(claim);
    if (className === "") {
      return { refusal: refuse("PersistentVolumeClaim had no pv name and storageClass name") };
    }
    const storageClass = listers.storageClass(className);
    if (storageClass === undefined) {
      return { refusal: refuse(`storageclass.storage.k8s.io "${className}" not found`) };
    }
    if (!isDelayed(storageClass)) return { refusal: refuse("PersistentVolume had no name") };
  }
  return topologies;
}
