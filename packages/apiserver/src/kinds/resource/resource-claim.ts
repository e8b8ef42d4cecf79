// ResourceClaim: devices that a pod needs, and which it got. What is asked for never changes.
import type { resourcev1 } from "@kubeloop/core/api";
import { resourceClaims } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { setClaimDefaults } from "./claim-defaults.ts";

type ResourceClaim = resourcev1.ResourceClaim;

export const resourceClaimRules: KindRules<ResourceClaim> = {
  resource: resourceClaims,
  metadataOnUpdate: ["whole", "changes"],
  untouched: { status: [["spec"], ["metadata"]] },
  deletion: { answersWithObject: true },
  defaults: ({ spec }) => setClaimDefaults(spec),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) =>
      checkImmutable(spec, old.spec, fldPath, "io.k8s.api.resource.v1.ResourceClaimSpec"),
    ),
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        keepAllButStatus(draft, old);
        keepMetadata(draft.metadata, old.metadata);
      },
    },
  },
  printRow: (claim, { nowMs }) => [
    claim.metadata.name,
    printState(claim),
    printAge(claim.metadata.creationTimestamp, nowMs),
  ],
};

function printState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isAllocated = status?.allocation !== undefined;
  const isReserved = isAllocated && (status?.reservedFor ?? []).length > 0;
  const states = [
    ...(isDeleted ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : isDeleted ? [] : ["pending"]),
    ...(isReserved ? ["reserved"] : []),
  ];
  return states.join(",");
}
