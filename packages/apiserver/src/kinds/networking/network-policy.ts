// NetworkPolicy: which traffic pods may have, from where and to where.
import { formatLabelSelector, type networkingv1 } from "@kubeloop/core/api";
import { networkPolicies } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { cidrWarnings } from "../shared/cidr.ts";
import { checkLabelSelector } from "../shared/labels.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults, ValidationPath } from "../shared/validation-path.ts";
import { checkNetworkPolicySpec, type NetworkPolicyOptions } from "./check-network-policy.ts";

type Spec = networkingv1.NetworkPolicySpec;

export const networkPolicyRules: KindRules<networkingv1.NetworkPolicy> = {
  resource: networkPolicies,
  generation: "spec",
  defaults({ spec = {} }) {
    dropEmptyRules(spec);
    for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of ports) port.protocol ??= "TCP";
    }
    if ((spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  },
  // Upstream compares before the storage has dropped an empty list: each update that has one is a change.
  prepareUpdate({ metadata, spec = {} }, old) {
    if (hadEmptyRules.has(spec)) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: ({ spec = {} }) => collectFaults("spec", (fldPath) => checkNetworkPolicySpec(spec, fldPath)),
  validateUpdate: ({ spec = {} }, old) =>
    collectFaults("spec", (fldPath) => checkNetworkPolicySpec(spec, fldPath, optionsOf(old.spec ?? {}))),
  warnings: ({ spec = {} }) => blocksOf(spec).flatMap(blockWarnings),
  printRow: ({ metadata, spec = {} }, { nowMs }) => [
    metadata.name,
    formatLabelSelector(spec.podSelector ?? {}),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

/** Specs of drafts in which an empty list stood, which nobody sees any more. */
const hadEmptyRules = new WeakSet<object>();

function dropEmptyRules(spec: Draft<Spec>): void {
  for (const direction of ["ingress", "egress"] as const) {
    if (spec[direction]?.length !== 0) continue;
    delete spec[direction];
    hadEmptyRules.add(spec);
  }
}

function optionsOf(old: Spec): NetworkPolicyOptions {
  const isSelectorBad = collectFaults("", (fldPath) => checkLabelSelector(old.podSelector, fldPath)).length > 0;
  const oldCidrs = blocksOf(old).flatMap(({ block }) => [block.cidr, ...(block.except ?? [])]);
  return { allowsInvalidValues: isSelectorBad, oldCidrs };
}

interface PlacedBlock {
  readonly block: networkingv1.IPBlock;
  readonly fldPath: ValidationPath;
}

function blocksOf({ ingress = [], egress = [] }: Spec): readonly PlacedBlock[] {
  const spec = new ValidationPath([], "spec", {});
  const placed = (peers: readonly networkingv1.NetworkPolicyPeer[] = [], at: ValidationPath): PlacedBlock[] =>
    peers.flatMap(({ ipBlock }, i) =>
      ipBlock === undefined ? [] : [{ block: ipBlock, fldPath: at.item(i).at("ipBlock") }],
    );
  return [
    ...ingress.flatMap(({ from }, i) => placed(from, spec.at("ingress").item(i).at("from"))),
    ...egress.flatMap(({ to }, i) => placed(to, spec.at("egress").item(i).at("to"))),
  ];
}

function blockWarnings({ block, fldPath }: PlacedBlock): string[] {
  return [
    ...cidrWarnings(block.cidr, fldPath.at("cidr")),
    ...(block.except ?? []).flatMap((cidr, i) => cidrWarnings(cidr, fldPath.at("except").item(i))),
  ];
}
