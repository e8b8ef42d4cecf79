// Whether a node can give a pod its volumes, and which: bound claims must be reachable from there, and claims that wait for their first consumer must find
// a volume or a provisioner that may make one. Purely; what is found is assumed and written by the driver.
import {
  compareQuantities,
  fromLabelSelector,
  matchesSelector,
  quantityValue,
  SelectorError,
} from "@kubeloop/core/api";
import type { Node, PersistentVolumeClaim, Pod } from "@kubeloop/core/types/core/v1";
import type { CSIStorageCapacity, StorageClass } from "@kubeloop/core/types/storage/v1";
import type { Listers } from "../framework/listers.ts";
import type { VolumeBinding, VolumesToBind } from "../framework/volumes-to-bind.ts";
import {
  claimNameOf,
  classOfClaim,
  classOfVolume,
  isFullyBound,
  matchesVolumeAffinity,
  selectedNodeAnnotation,
} from "./claims.ts";
import { affinityOn } from "./csi-migration.ts";
import { findMatchingVolume, type SizedVolume, toSizedVolume } from "./find-matching-volume.ts";

export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Unbound, of a class that waits for the first consumer. */
  readonly delayed: readonly PersistentVolumeClaim[];
  /** Unbound, and nothing that a scheduler could bind. */
  readonly immediate: readonly PersistentVolumeClaim[];
  /** The volumes of the classes of the delayed claims. */
  readonly volumesByClass: ReadonlyMap<string, readonly SizedVolume[]>;
}

export function claimsOf(pod: Pod, listers: Listers): PodClaims {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  const immediate: PersistentVolumeClaim[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    const claim = name === undefined ? undefined : listers.persistentVolumeClaim(pod.metadata.namespace ?? "", name);
    if (claim === undefined) continue;
    if (isFullyBound(claim)) bound.push(claim);
    // A claim that somebody has given a volume name is the controller's to bind.
    else if (isDelayed(listers.storageClass(classOfClaim(claim))) && (claim.spec?.volumeName ?? "") === "") {
      delayed.push(claim);
    } else immediate.push(claim);
  }
  return { bound, delayed, immediate, volumesByClass: volumesOf(delayed, listers) };
}

export function isDelayed(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

function volumesOf(
  claims: readonly PersistentVolumeClaim[],
  listers: Listers,
): ReadonlyMap<string, readonly SizedVolume[]> {
  const byClass = new Map<string, SizedVolume[]>(claims.map((claim) => [classOfClaim(claim), []]));
  if (byClass.size === 0) return byClass;
  for (const volume of listers.persistentVolumes()) byClass.get(classOfVolume(volume))?.push(toSizedVolume(volume));
  return byClass;
}

const unreachable = "node(s) didn't match PersistentVolume's node affinity";
const nothingToBind = "node(s) didn't find available persistent volumes to bind";
const notEnoughStorage = "node(s) did not have enough free storage";
const volumeMissing = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

export type FoundVolumes = { readonly reasons: readonly string[] } | { readonly volumes: VolumesToBind | undefined };

/** Returns what to bind for a pod on this node, or why that is not possible. Throws a TranslationError. */
export function findPodVolumes(claims: PodClaims, node: Node, listers: Listers): FoundVolumes {
  const bound = whyUnreachable(claims.bound, node, listers);
  const found = bindDelayed(claims, node, listers);
  const unbound = typeof found === "string" ? found : undefined;
  // In the order of upstream's list, which puts a missing volume last.
  const reasons = [bound === unreachable ? bound : undefined, unbound, bound === volumeMissing ? bound : undefined];
  const given = reasons.filter((reason) => reason !== undefined);
  if (given.length > 0 || typeof found === "string") return { reasons: given };
  return { volumes: found };
}

function whyUnreachable(
  bound: readonly PersistentVolumeClaim[],
  node: Node,
  listers: Listers,
): typeof unreachable | typeof volumeMissing | undefined {
  if (bound.length === 0) return undefined;
  const csiNode = listers.csiNode(node.metadata.name ?? "");
  for (const { spec } of bound) {
    const volume = listers.persistentVolume(spec?.volumeName ?? "");
    if (volume === undefined) return volumeMissing;
    if (!matchesVolumeAffinity(affinityOn(volume, csiNode), node.metadata.labels ?? {})) return unreachable;
  }
  return undefined;
}

/** Returns the reason if it is not possible. */
function bindDelayed(
  { delayed, volumesByClass }: PodClaims,
  node: Node,
  listers: Listers,
): VolumesToBind | string | undefined {
  if (delayed.length === 0) return undefined;
  const isChosen = (claim: PersistentVolumeClaim) => claim.metadata.annotations?.[selectedNodeAnnotation] !== undefined;
  const chosen = delayed.filter((claim, index) => isChosen(claim) && delayed.indexOf(claim) === index);
  if (chosen.some(({ metadata }) => metadata.annotations?.[selectedNodeAnnotation] !== node.metadata.name)) {
    return nothingToBind;
  }
  const bindings: VolumeBinding[] = [];
  const provisions = [...chosen];
  const taken = new Set<string>();
  const labels = node.metadata.labels ?? {};
  for (const claim of delayed.filter((each) => !isChosen(each)).sort(bySize)) {
    const volume = findMatchingVolume(claim, volumesByClass.get(classOfClaim(claim)) ?? [], { labels, taken });
    if (volume === undefined) {
      // A pod may name a claim twice.
      if (!provisions.includes(claim)) provisions.push(claim);
    } else {
      taken.add(volume.metadata.name ?? "");
      bindings.push({ volume, claim });
    }
  }
  for (const claim of provisions) {
    const reason = whyNotProvisionable(claim, labels, listers);
    if (reason !== undefined) return reason;
  }
  return { bindings, provisions };
}

/** The smallest first, so that it does not take a large volume from another. */
function bySize({ spec: left }: PersistentVolumeClaim, { spec: right }: PersistentVolumeClaim): number {
  return compareQuantities(
    left?.resources?.requests?.["storage"] ?? "0",
    right?.resources?.requests?.["storage"] ?? "0",
  );
}

function whyNotProvisionable(
  claim: PersistentVolumeClaim,
  labels: Readonly<Record<string, string>>,
  listers: Listers,
): string | undefined {
  const storageClass = listers.storageClass(classOfClaim(claim));
  const provisioner = storageClass?.provisioner ?? "";
  if (storageClass === undefined || provisioner === "" || provisioner === "kubernetes.io/no-provisioner") {
    return nothingToBind;
  }
  if (!matchesTopologies(storageClass, labels)) return nothingToBind;
  const requested = claim.spec?.resources?.requests?.["storage"];
  if (requested === undefined || listers.csiDriver(provisioner)?.spec?.storageCapacity !== true) return undefined;
  const size = quantityValue(requested);
  for (const capacity of listers.csiStorageCapacities()) {
    const limit = capacity.maximumVolumeSize ?? capacity.capacity;
    if (capacity.storageClassName !== storageClass.metadata.name || limit === undefined) continue;
    if (quantityValue(limit) >= size && isAccessible(capacity, labels)) return undefined;
  }
  return notEnoughStorage;
}

/** Terms are ORed, expressions ANDed; without terms the class is allowed everywhere. */
function matchesTopologies(
  { allowedTopologies = [] }: StorageClass,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => {
        const value = labels[key];
        return value !== undefined && values.includes(value);
      }),
  );
}

/** An absent topology is accessible from nowhere. */
function isAccessible({ nodeTopology }: CSIStorageCapacity, labels: Readonly<Record<string, string>>): boolean {
  try {
    return matchesSelector(fromLabelSelector(nodeTopology), labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}
