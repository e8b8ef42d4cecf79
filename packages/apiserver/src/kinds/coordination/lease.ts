// Lease: who holds something, since when and for how long.
import type { coordinationv1 } from "@kubeloop/core/api";
import { leases } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

type Spec = coordinationv1.LeaseSpec;

export const leaseRules: KindRules<coordinationv1.Lease> = {
  resource: leases,
  finalizerNames: "any",
  createsOnUpdate: true,
  needsVersionOnUpdate: true,
  prepareCreate: ({ spec = {} }) => dropElection(spec),
  prepareUpdate: ({ spec = {} }, old) => dropElection(spec, old.spec),
  validate: ({ spec = {} }) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath)),
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    spec?.holderIdentity ?? "",
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

/** A default server does not elect leaders itself: what it would need for that is not kept. */
function dropElection(spec: Draft<Spec>, old?: Spec): void {
  if (old?.strategy === undefined) delete spec.strategy;
  if (old?.preferredHolder === undefined) delete spec.preferredHolder;
}

function checkSpec({ leaseDurationSeconds, leaseTransitions }: Spec, fldPath: ValidationPath): void {
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    fldPath.at("leaseDurationSeconds").invalid(leaseDurationSeconds, "must be greater than 0");
  }
  checkNonNegative(leaseTransitions, fldPath.at("leaseTransitions"));
}
