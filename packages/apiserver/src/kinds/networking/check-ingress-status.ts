// Where an ingress can be reached, as its controller tells it.
import { type networkingv1, validateDns1123Subdomain } from "@kubeloop/core/api";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkLegacyIp, parseIp } from "../shared/ip-address.ts";

export function checkIngressStatus(
  status: networkingv1.IngressLoadBalancerStatus,
  place: FaultPlace,
  old: networkingv1.IngressLoadBalancerStatus,
): void {
  const oldAddresses = (old.ingress ?? []).flatMap(({ ip = "" }) => (ip === "" ? [] : [ip]));
  for (const [i, { ip = "", hostname = "" }] of (status.ingress ?? []).entries()) {
    const itemPlace = place.at("ingress").item(i);
    if (ip !== "") checkLegacyIp(ip, itemPlace.at("ip"), oldAddresses);
    if (hostname === "") continue;
    const namePlace = itemPlace.at("hostname");
    namePlace.invalidFor(hostname, validateDns1123Subdomain(hostname));
    if (parseIp(hostname) !== undefined) namePlace.invalid(hostname, "must be a DNS name, not an IP address");
  }
}
