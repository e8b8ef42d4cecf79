// Which events each plugin wants to hear of, as upstream's register them: at others it is not asked whether they help.
import type { ClusterEvent, NodeChange, PodChange, StorageEvent } from "./cluster-event.ts";

type StorageChange = `${StorageEvent["on"]} ${StorageEvent["change"]}`;

interface Registered {
  /** Who asks for new nodes is told of taints as well. */
  readonly node?: readonly NodeChange[];
  readonly pod?: readonly PodChange[];
  readonly storage?: readonly StorageChange[];
}

const newNodes = ["add", "taints"] as const;

export const registeredEvents: Readonly<Record<string, Registered>> = {
  SchedulingGates: { pod: ["gates eliminated"] },
  NodeUnschedulable: { node: newNodes, pod: ["tolerations"] },
  NodeName: { node: newNodes },
  TaintToleration: { node: newNodes, pod: ["tolerations"] },
  NodeAffinity: { node: [...newNodes, "labels"] },
  NodePorts: { node: newNodes, pod: ["delete"] },
  NodeResourcesFit: { node: [...newNodes, "allocatable"], pod: ["delete", "scale down"] },
  VolumeRestrictions: { node: newNodes, pod: ["delete"], storage: ["persistentVolumeClaim add"] },
  NodeVolumeLimits: {
    pod: ["delete"],
    storage: ["csiNode add", "csiNode update", "persistentVolumeClaim add", "volumeAttachment delete"],
  },
  VolumeBinding: {
    node: [...newNodes, "labels"],
    storage: [
      "storageClass add",
      "storageClass update",
      "persistentVolumeClaim add",
      "persistentVolumeClaim update",
      "persistentVolume add",
      "persistentVolume update",
      "csiNode add",
      "csiNode update",
      "csiDriver update",
      "csiStorageCapacity add",
      "csiStorageCapacity update",
    ],
  },
  VolumeZone: {
    node: [...newNodes, "labels"],
    storage: [
      "storageClass add",
      "persistentVolumeClaim add",
      "persistentVolumeClaim update",
      "persistentVolume add",
      "persistentVolume update",
    ],
  },
  PodTopologySpread: {
    node: [...newNodes, "delete", "labels"],
    pod: ["add", "labels", "delete", "tolerations"],
  },
  InterPodAffinity: { node: [...newNodes, "labels"], pod: ["add", "labels", "delete"] },
  NodeDeclaredFeatures: {
    node: [...newNodes, "declared features"],
    pod: ["labels", "scale down", "gates eliminated", "tolerations", "update"],
  },
};

export function isRegistered(plugin: string, event: Exclude<ClusterEvent, { readonly on: "timeout" }>): boolean {
  const registered = registeredEvents[plugin];
  if (registered === undefined) return false;
  if (event.on === "node") return registered.node?.includes(event.change) === true;
  if (event.on === "pod") return registered.pod?.includes(event.change) === true;
  return registered.storage?.includes(`${event.on} ${event.change}`) === true;
}
