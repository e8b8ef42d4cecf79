// What happened in the cluster, as the queue sees it: changes that may make a waiting pod schedulable. An update of an object becomes one event for each
// thing that changed in it, because plugins ask for some of them only.
import { isDeepStrictEqual } from "node:util";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@kubeloop/core/types/core/v1";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "@kubeloop/core/types/storage/v1";
import { type Resources, requestsOfBound } from "../snapshot/resources.ts";

export type NodeChange =
  | "add"
  | "delete"
  | "allocatable"
  | "labels"
  | "taints"
  | "conditions"
  | "annotations"
  | "declared features";
export type PodChange = "add" | "delete" | "labels" | "scale down" | "gates eliminated" | "tolerations" | "update";

/** The kinds of objects about volumes whose changes may help a pod. */
export interface StorageObjects {
  readonly persistentVolumeClaim: PersistentVolumeClaim;
  readonly persistentVolume: PersistentVolume;
  readonly storageClass: StorageClass;
  readonly csiNode: CSINode;
  readonly csiDriver: CSIDriver;
  readonly csiStorageCapacity: CSIStorageCapacity;
  readonly volumeAttachment: VolumeAttachment;
}

export type StorageEvent = {
  readonly [On in keyof StorageObjects]: {
    readonly on: On;
    readonly change: "add" | "update" | "delete";
    readonly before: StorageObjects[On] | undefined;
    readonly after: StorageObjects[On] | undefined;
  };
}[keyof StorageObjects];

export type ClusterEvent =
  | {
      readonly on: "node";
      readonly change: NodeChange;
      readonly before: Node | undefined;
      readonly after: Node | undefined;
    }
  | {
      /** A pod on a node, or one that was nominated to one; or, if it is the waiting pod itself, that one. */
      readonly on: "pod";
      readonly change: PodChange;
      readonly before: Pod | undefined;
      readonly after: Pod | undefined;
    }
  | StorageEvent
  /** Wakes every pod, because it has waited long enough. */
  | { readonly on: "timeout" };

export function nodeEvents(before: Node, after: Node): readonly ClusterEvent[] {
  const changes: NodeChange[] = [];
  if (before.spec?.unschedulable === true && after.spec?.unschedulable !== true) changes.push("taints");
  if (isChanged(before.status?.allocatable, after.status?.allocatable)) changes.push("allocatable");
  if (isChanged(before.metadata.labels, after.metadata.labels)) changes.push("labels");
  if (isChanged(before.spec?.taints, after.spec?.taints)) changes.push("taints");
  if (isChanged(conditionsOf(before), conditionsOf(after))) changes.push("conditions");
  if (isChanged(before.metadata.annotations, after.metadata.annotations)) changes.push("annotations");
  if (isChanged(before.status?.declaredFeatures ?? [], after.status?.declaredFeatures ?? [])) {
    changes.push("declared features");
  }
  return changes.map((change) => ({ on: "node", change, before, after }));
}

/** An update in which nothing of interest changed is still one. */
export function podEvents(before: Pod, after: Pod): readonly ClusterEvent[] {
  const changes: PodChange[] = [];
  if (isChanged(before.metadata.labels, after.metadata.labels)) changes.push("labels");
  if (isScaledDown(requestsOfBound(before), requestsOfBound(after))) changes.push("scale down");
  if (hasGates(before) && !hasGates(after)) changes.push("gates eliminated");
  if ((before.spec.tolerations?.length ?? 0) !== (after.spec.tolerations?.length ?? 0)) changes.push("tolerations");
  if (changes.length === 0) changes.push("update");
  return changes.map((change) => ({ on: "pod", change, before, after }));
}

/** On a node, or promised one. */
export function isPlaced(pod: Pod | undefined): pod is Pod {
  return pod !== undefined && ((pod.spec.nodeName ?? "") !== "" || (pod.status?.nominatedNodeName ?? "") !== "");
}

export function hasGates({ spec }: Pod): boolean {
  return (spec.schedulingGates ?? []).length > 0;
}

function isScaledDown(before: Resources, after: Resources): boolean {
  return (
    after.milliCpu < before.milliCpu ||
    after.memory < before.memory ||
    after.ephemeralStorage < before.ephemeralStorage ||
    [...before.scalar].some(([name, amount]) => (after.scalar.get(name) ?? 0) < amount)
  );
}

/** Absent and empty are the same. */
export function isChanged(before: unknown, after: unknown): boolean {
  return before !== after && !isDeepStrictEqual(before ?? {}, after ?? {});
}

function conditionsOf({ status }: Node): Readonly<Record<string, string>> {
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: value }) => [type, value]));
}
