// What a balancer may say about a service: where it can be reached.
import { validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "../../shared/checks.ts";
import type { FaultPlace } from "../../shared/fault-place.ts";
import { checkLegacyIp, parseIp } from "../../shared/ip-address.ts";
import { isLoadBalancer, type Service, specOf } from "./service-traits.ts";

const ipModes = ["Proxy", "VIP"];

/** `place` is that of the ingress points. */
export function checkIngress(service: Service, old: Service, place: FaultPlace): void {
  const { ingress = [] } = service.status?.loadBalancer ?? {};
  if (!isLoadBalancer(specOf(service))) {
    if (ingress.length > 0) place.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  const held = (old.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (isAbsent(ip) ? [] : [ip]));
  for (const [i, { ip, ipMode, hostname }] of ingress.entries()) {
    const pointPlace = place.item(i);
    if (!isAbsent(ip)) checkLegacyIp(ip, pointPlace.at("ip"), held);
    checkIpMode(ipMode, !isAbsent(ip), pointPlace.at("ipMode"));
    if (!isAbsent(hostname)) checkHostname(hostname, pointPlace.at("hostname"));
  }
}

function checkIpMode(mode: string | undefined, hasIp: boolean, place: FaultPlace): void {
  if (mode === undefined) {
    if (hasIp) place.required("must be specified when `ip` is set");
  } else if (!hasIp) {
    place.forbidden("may not be specified when `ip` is not set");
  } else if (!ipModes.includes(mode)) {
    place.notSupported(mode, ipModes);
  }
}

function checkHostname(hostname: string, place: FaultPlace): void {
  place.invalidFor(hostname, validateDns1123Subdomain(hostname));
  if (parseIp(hostname) !== undefined) place.invalid(hostname, "must be a DNS name, not an IP address");
}
