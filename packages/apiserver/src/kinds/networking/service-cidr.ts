// ServiceCIDR: a network, or one of each family, that services get their addresses from. It may gain its second family, nothing else.
import type { networkingv1 } from "@kubeloop/core/api";
import { serviceCIDRs } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkCanonicalCidr } from "../shared/canonical-ip.ts";
import { parseCidr } from "../shared/cidr.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus, keepMetadata } from "../shared/status-metadata.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

const immutable = "field is immutable";

export const serviceCidrRules: KindRules<networkingv1.ServiceCIDR> = {
  resource: serviceCIDRs,
  untouched: { status: [["spec"], ["metadata"]] },
  validate: ({ spec = {} }) => collectFaults("spec", (fldPath) => checkCidrs(spec, fldPath.at("cidrs"))),
  validateUpdate: ({ spec = {} }, old) =>
    collectFaults("spec", (fldPath) => checkChange(spec, old.spec ?? {}, fldPath.at("cidrs"))),
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        keepAllButStatus(draft, old);
        keepMetadata(draft.metadata, old.metadata);
      },
    },
  },
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    (spec?.cidrs ?? []).join(","),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkCidrs({ cidrs = [] }: networkingv1.ServiceCIDRSpec, fldPath: ValidationPath): void {
  if (cidrs.length === 0) {
    fldPath.required("at least one CIDR required");
    return;
  }
  if (cidrs.length > 2) {
    fldPath.invalid({ CIDRs: cidrs }, "may only hold up to 2 values");
    return;
  }
  for (const [i, cidr] of cidrs.entries()) checkCanonicalCidr(cidr, fldPath.item(i));
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.address.family);
  if (first !== undefined && first === second) {
    const why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    fldPath.invalid(cidrs, why);
  }
}

function checkChange(
  spec: networkingv1.ServiceCIDRSpec,
  { cidrs: old = [] }: networkingv1.ServiceCIDRSpec,
  fldPath: ValidationPath,
): void {
  const { cidrs = [] } = spec;
  const isGrown = old.length === 1 && cidrs.length === 2;
  if (!isGrown && cidrs.length !== old.length) {
    fldPath.invalid(spec.cidrs ?? null, immutable);
    return;
  }
  for (const [i, cidr] of old.entries()) if (cidr !== cidrs[i]) fldPath.item(i).invalid(cidrs[i], immutable);
  if (isGrown) checkCidrs(spec, fldPath);
}
