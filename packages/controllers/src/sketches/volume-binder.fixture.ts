// The core of the volume binder in the contract: a claim is bound to a volume by four writes, each only after the one before it is stored:
// the volume's claimRef, its phase, the claim's volumeName, its phase. Each is refused if somebody else has changed the object since it
// was observed; the binder's own writes are built on each other.
//
// Whichever write is the last one that succeeded, the next look goes on from there: claimRef says whose a volume is.
import { type corev1, keyOf, objectKeyOf } from "@kubeloop/core/api";
import {
  type Decision,
  defineIndex,
  editObject,
  editStatus,
  inOrder,
  keyed,
  mapped,
  nothing,
  plan,
  statusVerbs,
  type View,
  verbs,
} from "@kubeloop/core/contract";
import { persistentVolumeClaims, persistentVolumes } from "@kubeloop/core/resources";

export interface ClaimSeen {
  readonly claim: corev1.PersistentVolumeClaim;
  readonly free: readonly corev1.PersistentVolume[];
  /** Reserved for a claim of this name. */
  readonly reserved: readonly corev1.PersistentVolume[];
}

const claimKeysOf = ({ spec: { claimRef } = {} }: corev1.PersistentVolume) =>
  claimRef === undefined ? [] : [objectKeyOf(claimRef.namespace ?? "", claimRef.name ?? "")];

const volumesByClaim = defineIndex("claim", persistentVolumes, (volume) =>
  volume.spec?.claimRef === undefined ? ["free"] : claimKeysOf(volume),
);

export function observe(key: string, { snapshot }: View): ClaimSeen | undefined {
  const claim = snapshot.get(persistentVolumeClaims, key);
  if (claim === undefined) return undefined;
  return { claim, free: snapshot.byIndex(volumesByClaim, "free"), reserved: snapshot.byIndex(volumesByClaim, key) };
}

export function decide({ claim, free, reserved }: ClaimSeen): Decision {
  if (claim.status?.phase === "Bound") return nothing("is bound");
  // A reference without uid was made by hand, one with another uid is a former claim's.
  const isIts = ({ spec }: corev1.PersistentVolume) => [undefined, claim.metadata.uid].includes(spec?.claimRef?.uid);
  const volume = reserved.find(isIts) ?? free.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))[0];
  if (volume === undefined) return nothing("no volume is free", { requeueAfterMs: 15_000 });
  const { namespace = "", name = "", uid = "" } = claim.metadata;
  const claimRef = { kind: "PersistentVolumeClaim", namespace, name, uid };
  const { name: volumeName = "" } = volume.metadata;
  const writes = inOrder(
    editObject(persistentVolumes, volume, { ...volume, spec: { ...volume.spec, claimRef } }),
    editStatus(persistentVolumes, volume, { ...volume, status: { ...volume.status, phase: "Bound" } }),
    editObject(persistentVolumeClaims, claim, { ...claim, spec: { ...claim.spec, volumeName } }),
    editStatus(persistentVolumeClaims, claim, { ...claim, status: { ...claim.status, phase: "Bound" } }),
  );
  return plan(`bind to ${volumeName}`, [[writes]]);
}

export const newVolumeBinder = (workers: number) =>
  keyed<ClaimSeen>({
    name: "persistentvolume-binder-controller",
    primary: persistentVolumeClaims,
    watches: [mapped(persistentVolumes, claimKeysOf)],
    indexes: [volumesByClaim],
    writes: [persistentVolumes, persistentVolumeClaims].flatMap((each) => [
      verbs(each, "update"),
      statusVerbs(each, "update"),
    ]),
    workers,
    observe,
    decide,
  });
