// Which of the volumes of a class a claim should get on a node: one that is promised to it, or else the smallest that is large enough and has what it
// asks for.
import { compareQuantities, fromLabelSelector, matchesSelector, type Quantity, toQuantity } from "@kubeloop/core/api";
import type { PersistentVolume, PersistentVolumeClaim } from "@kubeloop/core/types/core/v1";
import { classOfClaim, classOfVolume, isPromisedTo, matchesVolumeAffinity } from "./claims.ts";

/** A volume with its capacity, parsed once for all nodes. */
export interface SizedVolume {
  readonly volume: PersistentVolume;
  readonly capacity: Quantity;
}

export function toSizedVolume(volume: PersistentVolume): SizedVolume {
  return { volume, capacity: toQuantity(volume.spec?.capacity?.["storage"] ?? "0") };
}

export interface MatchOptions {
  readonly labels: Readonly<Record<string, string>>;
  /** Names of volumes that other claims of the pod have got. */
  readonly taken: ReadonlySet<string>;
}

export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly SizedVolume[],
  { labels, taken }: MatchOptions,
): PersistentVolume | undefined {
  const requested = claim.spec?.resources?.requests?.["storage"] ?? "0";
  const selector = claim.spec?.selector === undefined ? undefined : fromLabelSelector(claim.spec.selector);
  let smallest: SizedVolume | undefined;
  for (const sized of volumes) {
    const { volume, capacity } = sized;
    const { spec, metadata, status } = volume;
    const isPromised = isPromisedTo(volume, claim);
    if (taken.has(metadata.name ?? "") || (spec?.claimRef !== undefined && !isPromised)) continue;
    if (compareQuantities(capacity, requested) < 0 || !isOfSameKind(volume, claim)) continue;
    if (metadata.deletionTimestamp !== undefined) continue;
    const isReachable = matchesVolumeAffinity(spec?.nodeAffinity?.required, labels);
    // The claim must get the volume that is promised to it, even if there are others.
    if (isPromised) return isReachable ? volume : undefined;
    if (status?.phase !== "Available" || !isReachable || classOfVolume(volume) !== classOfClaim(claim)) continue;
    if (selector !== undefined && !matchesSelector(selector, metadata.labels)) continue;
    if (!(claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode))) continue;
    if (smallest === undefined || compareQuantities(smallest.capacity, capacity) > 0) smallest = sized;
  }
  return smallest?.volume;
}

function isOfSameKind({ spec: volume }: PersistentVolume, { spec: claim }: PersistentVolumeClaim): boolean {
  const { volumeMode = "Filesystem", volumeAttributesClassName = "" } = volume ?? {};
  const { volumeMode: wantedMode = "Filesystem", volumeAttributesClassName: wantedClass = "" } = claim ?? {};
  return volumeMode === wantedMode && volumeAttributesClassName === wantedClass;
}
