// What a balancer may say about a service: where it can be reached.
import { validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "../../shared/checks.ts";
import { checkLegacyIp, parseIp } from "../../shared/ip-address.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import { isLoadBalancer, type Service, specOf } from "./service-traits.ts";

const ipModes = ["Proxy", "VIP"];

/** `fldPath` is that of the ingress points. */
export function checkIngress(service: Service, old: Service, fldPath: ValidationPath): void {
  const { ingress = [] } = service.status?.loadBalancer ?? {};
  if (!isLoadBalancer(specOf(service))) {
    if (ingress.length > 0) fldPath.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  const held = (old.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (isAbsent(ip) ? [] : [ip]));
  for (const [i, { ip, ipMode, hostname }] of ingress.entries()) {
    const pointPath = fldPath.item(i);
    if (!isAbsent(ip)) checkLegacyIp(ip, pointPath.at("ip"), held);
    checkIpMode(ipMode, !isAbsent(ip), pointPath.at("ipMode"));
    if (!isAbsent(hostname)) checkHostname(hostname, pointPath.at("hostname"));
  }
}

function checkIpMode(mode: string | undefined, hasIp: boolean, fldPath: ValidationPath): void {
  if (mode === undefined) {
    if (hasIp) fldPath.required("must be specified when `ip` is set");
  } else if (!hasIp) {
    fldPath.forbidden("may not be specified when `ip` is not set");
  } else if (!ipModes.includes(mode)) {
    fldPath.notSupported(mode, ipModes);
  }
}

function checkHostname(hostname: string, fldPath: ValidationPath): void {
  fldPath.invalidFor(hostname, validateDns1123Subdomain(hostname));
  if (parseIp(hostname) !== undefined) fldPath.invalid(hostname, "must be a DNS name, not an IP address");
}
