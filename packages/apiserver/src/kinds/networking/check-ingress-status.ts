// Where an ingress can be reached, as its controller tells it.
import { type networkingv1, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkLegacyIp, parseIp } from "../shared/ip-address.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

export function checkIngressStatus(
  status: networkingv1.IngressLoadBalancerStatus,
  fldPath: ValidationPath,
  old: networkingv1.IngressLoadBalancerStatus,
): void {
  const oldAddresses = (old.ingress ?? []).flatMap(({ ip = "" }) => (ip === "" ? [] : [ip]));
  for (const [i, { ip = "", hostname = "" }] of (status.ingress ?? []).entries()) {
    const itemPath = fldPath.at("ingress").item(i);
    if (ip !== "") checkLegacyIp(ip, itemPath.at("ip"), oldAddresses);
    if (hostname === "") continue;
    const namePath = itemPath.at("hostname");
    namePath.invalidFor(hostname, validateDns1123Subdomain(hostname));
    if (parseIp(hostname) !== undefined) namePath.invalid(hostname, "must be a DNS name, not an IP address");
  }
}
