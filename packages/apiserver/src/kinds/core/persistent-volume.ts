// PersistentVolume: storage that is there, of one type, which never changes.
import { type corev1, type Fault, printTime } from "@kubeloop/core/api";
import { persistentVolumes } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { setVolumeDefaults } from "../pod-spec/volume-defaults.ts";
import { isAbsent } from "../shared/checks.ts";
import { hasInvalidLabelValue } from "../shared/labels.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { printAge } from "../shared/print-age.ts";
import { roundResourceList } from "../shared/quantities.ts";
import { checkVolume, checkVolumeChange } from "./volumes/check-volume.ts";
import { oldClassAnnotation, printAccessModes, storageClassOf } from "./volumes/print-storage.ts";

type Volume = corev1.PersistentVolume;

export const persistentVolumeRules: KindRules<Volume> = {
  resource: persistentVolumes,
  metadataOnUpdate: ["whole", "whole"],
  deletion: { answersWithObject: true },
  defaults(draft) {
    draft.spec ??= {};
    setSpecDefaults(draft.spec);
    draft.status ??= {};
    if (isAbsent(draft.status.phase)) draft.status.phase = "Pending";
  },
  prepareCreate(draft, { nowMs }) {
    draft.status = { phase: "Pending", lastPhaseTransitionTime: printTime(nowMs) };
  },
  validate: (volume) => collectObjectFaults((at) => checkVolume(volume, at)),
  validateUpdate: changeFaults,
  subresources: {
    status: {
      prepareUpdate(draft, old, { nowMs }) {
        if (old.spec === undefined) delete draft.spec;
        else draft.spec = old.spec as Draft<corev1.PersistentVolumeSpec>;
        draft.status ??= {};
        noteTransition(draft.status, old.status ?? {}, nowMs);
      },
    },
  },
  warnings: volumeWarnings,
  printRow: printVolume,
};

function setSpecDefaults(spec: Draft<corev1.PersistentVolumeSpec>): void {
  if (isAbsent(spec.persistentVolumeReclaimPolicy)) spec.persistentVolumeReclaimPolicy = "Retain";
  spec.volumeMode ??= "Filesystem";
  roundResourceList(spec.capacity);
  // Those that pods can have too, with the same defaults.
  const { hostPath, rbd, iscsi, azureDisk, scaleIO } = spec;
  const shared = Object.entries({ hostPath, rbd, iscsi, azureDisk, scaleIO }).filter(([, part]) => part !== undefined);
  if (shared.length > 0) setVolumeDefaults({ name: "", ...Object.fromEntries(shared) });
}

function changeFaults(volume: Volume, old: Volume): readonly Fault[] {
  const required = old.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const allowsInvalidValues = required.some(({ matchExpressions = [] }) =>
    hasInvalidLabelValue({ matchExpressions: matchExpressions as never }),
  );
  const check = () => collectObjectFaults((at) => checkVolume(volume, at, { allowsInvalidValues }));
  // Said twice, as upstream does.
  return [...check(), ...check(), ...collectObjectFaults((at) => checkVolumeChange(volume, old, at))];
}

/** Since when it is in its phase, unless whoever writes it says so. */
function noteTransition(
  status: Draft<corev1.PersistentVolumeStatus>,
  old: corev1.PersistentVolumeStatus,
  nowMs: number,
): void {
  const { lastPhaseTransitionTime: given } = status;
  const held = old.lastPhaseTransitionTime;
  if (status.phase === old.phase) {
    if (given === undefined && held !== undefined) status.lastPhaseTransitionTime = held;
  } else if (given === undefined || given === held) {
    status.lastPhaseTransitionTime = printTime(nowMs);
  }
}

const oldAnnotations = [
  [oldClassAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ["volume.beta.kubernetes.io/mount-options", 'deprecated since v1.31; use "mountOptions" attribute instead'],
] as const;

/** Reported at the name given second, which is not always the field's. */
const oldSources = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

function volumeWarnings({ metadata, spec = {} }: Volume): string[] {
  const warnings: string[] = oldAnnotations
    .filter(([name]) => metadata.annotations?.[name] !== undefined)
    .map(([name, why]) => `metadata.annotations[${name}]: ${why}`);
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    const why =
      "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
    warnings.push(`spec.persistentVolumeReclaimPolicy: ${why}`);
  }
  for (const [field, reportedAt, why] of oldSources) {
    if (spec[field] !== undefined) warnings.push(`spec.${reportedAt}: ${why}`);
  }
  return warnings;
}

function printVolume({ metadata, spec = {}, status = {} }: Volume, { nowMs }: { readonly nowMs: number }) {
  const { claimRef } = spec;
  return [
    metadata.name,
    spec.capacity?.["storage"] ?? "0",
    printAccessModes(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? "",
    metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
    claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
    storageClassOf(metadata, spec),
    spec.volumeAttributesClassName ?? "<unset>",
    status.reason ?? "",
    printAge(metadata.creationTimestamp, nowMs),
    spec.volumeMode ?? "<unset>",
  ];
}
