// What must hold between a service's addresses, their families and its policy about them.
import { type FaultPlace, mostFaultsTold } from "../../shared/fault-place.ts";
import { checkLegacyIp, parseIp } from "../../shared/ip-address.ts";
import { hasClusterIp, isHeadless, none, type Spec } from "./service-traits.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** `place` is the spec's. */
export function checkClusterIps(spec: Spec, old: Spec | undefined, place: FaultPlace): void {
  if (!hasClusterIp(spec)) return;
  const { clusterIPs = [] } = spec;
  const ipsPlace = place.at("clusterIPs");
  checkSpellings(spec, ipsPlace);
  checkFamilies(spec.ipFamilies ?? [], place.at("ipFamilies"));
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !policies.includes(policy)) place.at("ipFamilyPolicy").notSupported(policy, policies);
  const areRight = checkEach(clusterIPs, old?.clusterIPs ?? [], ipsPlace);
  if (clusterIPs.length > 2) ipsPlace.invalid(clusterIPs, "may only hold up to 2 values");
  // More would only confuse.
  if (!areRight) return;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2) {
    ipsPlace.invalid(clusterIPs, "may specify no more than one IP for each IP family");
  }
  if (!isHeadless(spec)) checkOrder(clusterIPs, spec.ipFamilies ?? [], ipsPlace);
}

const familyOf = (ip: string) => parseIp(ip)?.family;

function checkSpellings({ clusterIP = "", clusterIPs = [] }: Spec, place: FaultPlace): void {
  if (clusterIP === "") {
    if (clusterIPs.length > 0) place.invalid(clusterIPs, "must be empty when `clusterIP` is not specified");
  } else if (clusterIPs.length === 0) {
    place.required();
  } else if (clusterIPs[0] !== clusterIP) {
    place.invalid(clusterIPs, "first value must match `clusterIP`");
  }
}

function checkFamilies(named: readonly string[], place: FaultPlace): void {
  const seen = new Set<string>();
  for (const [i, family] of named.entries()) {
    if (place.faultCount >= mostFaultsTold) return;
    if (!families.includes(family)) place.item(i).notSupported(family, families);
    if (seen.has(family)) place.item(i).duplicate(family);
    seen.add(family);
  }
}

/** Whether all are addresses, or the only one is none. */
function checkEach(clusterIPs: readonly string[], oldIps: readonly string[], place: FaultPlace): boolean {
  const before = place.faultCount;
  for (const [i, ip] of clusterIPs.entries()) {
    if (place.faultCount >= mostFaultsTold) return false;
    if (i > 0 || ip !== none) checkLegacyIp(ip, place.item(i), oldIps);
    else if (clusterIPs.length > 1) place.invalid(clusterIPs, "'None' must be the first and only value");
  }
  return place.faultCount === before;
}

function checkOrder(clusterIPs: readonly string[], named: readonly string[], place: FaultPlace): void {
  for (const [i, ip] of clusterIPs.slice(0, named.length).entries()) {
    if (place.faultCount >= mostFaultsTold) return;
    const family = named[i] ?? "";
    if (families.includes(family) && familyOf(ip) !== family) {
      place.item(i).invalid(ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
    }
  }
}
