// PersistentVolumeClaim: a wish for storage, Pending until a volume is found. What it wishes for stays; once it is bound, it may want more.
import type { corev1 } from "@kubeloop/core/api";
import { persistentVolumeClaims } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import { checkClaimSpec, claimSpecWarnings, setClaimSpecDefaults } from "../shared/claim-spec.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { printAge } from "../shared/print-age.ts";
import { roundResourceList } from "../shared/quantities.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkClaimChange, checkClaimStatus, claimOptions } from "./volumes/claim-change.ts";
import { settleDataSources } from "./volumes/data-sources.ts";
import { oldClassAnnotation, printAccessModes, storageClassOf } from "./volumes/print-storage.ts";

type Claim = corev1.PersistentVolumeClaim;

export const persistentVolumeClaimRules: KindRules<Claim> = {
  resource: persistentVolumeClaims,
  metadataOnUpdate: ["changes", "whole"],
  deletion: { answersWithObject: true },
  defaults(draft) {
    draft.spec ??= {};
    setClaimSpecDefaults(draft.spec);
    draft.status ??= {};
    const { status } = draft;
    if (isAbsent(status.phase)) status.phase = "Pending";
    roundResourceList(status.capacity);
    roundResourceList(status.allocatedResources);
  },
  prepareCreate(draft) {
    draft.status = { phase: "Pending" };
    if (draft.spec !== undefined) settleDataSources(draft.spec, undefined);
  },
  prepareUpdate(draft, old) {
    if (draft.spec !== undefined) settleDataSources(draft.spec, old.spec);
  },
  validate: ({ spec = {} }) => collectFaults("spec", (fldPath) => checkClaimSpec(spec, fldPath)),
  validateUpdate: (claim, old) =>
    collectObjectFaults((at) => {
      checkClaimSpec(claim.spec ?? {}, at("spec"), claimOptions(old.spec ?? {}));
      checkClaimChange(claim, old, at);
    }),
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        if (old.spec === undefined) delete draft.spec;
        else draft.spec = old.spec as Draft<corev1.PersistentVolumeClaimSpec>;
      },
      validateUpdate: (claim) => collectObjectFaults((at) => checkClaimStatus(claim, at)),
    },
  },
  warnings({ metadata, spec = {} }) {
    const warnings: string[] = [];
    if (metadata.annotations?.[oldClassAnnotation] !== undefined) {
      const why = 'deprecated since v1.8; use "storageClassName" attribute instead';
      warnings.push(`metadata.annotations[${oldClassAnnotation}]: ${why}`);
    }
    collectFaults("spec", (fldPath) => warnings.push(...claimSpecWarnings(spec, fldPath)));
    return warnings;
  },
  printRow: printClaim,
};

function printClaim({ metadata, spec = {}, status = {} }: Claim, { nowMs }: { readonly nowMs: number }) {
  const isBound = !isAbsent(spec.volumeName);
  return [
    metadata.name,
    metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
    spec.volumeName ?? "",
    isBound ? (status.capacity?.["storage"] ?? "0") : "",
    isBound ? printAccessModes(status.accessModes) : "",
    storageClassOf(metadata, spec),
    spec.volumeAttributesClassName ?? "<unset>",
    printAge(metadata.creationTimestamp, nowMs),
    spec.volumeMode ?? "<unset>",
  ];
}
