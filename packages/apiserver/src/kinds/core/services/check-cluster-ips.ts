// What must hold between a service's addresses, their families and its policy about them.

import { checkLegacyIp, parseIp } from "../../shared/ip-address.ts";
import { mostFaultsReported, type ValidationPath } from "../../shared/validation-path.ts";
import { hasClusterIp, isHeadless, none, type Spec } from "./service-traits.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** `fldPath` is the spec's. */
export function checkClusterIps(spec: Spec, old: Spec | undefined, fldPath: ValidationPath): void {
  if (!hasClusterIp(spec)) return;
  const { clusterIPs = [] } = spec;
  const ipsPath = fldPath.at("clusterIPs");
  checkSpellings(spec, ipsPath);
  checkFamilies(spec.ipFamilies ?? [], fldPath.at("ipFamilies"));
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !policies.includes(policy)) fldPath.at("ipFamilyPolicy").notSupported(policy, policies);
  const areRight = checkEach(clusterIPs, old?.clusterIPs ?? [], ipsPath);
  if (clusterIPs.length > 2) ipsPath.invalid(clusterIPs, "may only hold up to 2 values");
  // More would only confuse.
  if (!areRight) return;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2) {
    ipsPath.invalid(clusterIPs, "may specify no more than one IP for each IP family");
  }
  if (!isHeadless(spec)) checkOrder(clusterIPs, spec.ipFamilies ?? [], ipsPath);
}

const familyOf = (ip: string) => parseIp(ip)?.family;

function checkSpellings({ clusterIP = "", clusterIPs = [] }: Spec, fldPath: ValidationPath): void {
  if (clusterIP === "") {
    if (clusterIPs.length > 0) fldPath.invalid(clusterIPs, "must be empty when `clusterIP` is not specified");
  } else if (clusterIPs.length === 0) {
    fldPath.required();
  } else if (clusterIPs[0] !== clusterIP) {
    fldPath.invalid(clusterIPs, "first value must match `clusterIP`");
  }
}

function checkFamilies(named: readonly string[], fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, family] of named.entries()) {
    if (fldPath.faultCount >= mostFaultsReported) return;
    if (!families.includes(family)) fldPath.item(i).notSupported(family, families);
    if (seen.has(family)) fldPath.item(i).duplicate(family);
    seen.add(family);
  }
}

/** Whether all are addresses, or the only one is none. */
function checkEach(clusterIPs: readonly string[], oldIps: readonly string[], fldPath: ValidationPath): boolean {
  const before = fldPath.faultCount;
  for (const [i, ip] of clusterIPs.entries()) {
    if (fldPath.faultCount >= mostFaultsReported) return false;
    if (i > 0 || ip !== none) checkLegacyIp(ip, fldPath.item(i), oldIps);
    else if (clusterIPs.length > 1) fldPath.invalid(clusterIPs, "'None' must be the first and only value");
  }
  return fldPath.faultCount === before;
}

function checkOrder(clusterIPs: readonly string[], named: readonly string[], fldPath: ValidationPath): void {
  for (const [i, ip] of clusterIPs.slice(0, named.length).entries()) {
    if (fldPath.faultCount >= mostFaultsReported) return;
    const family = named[i] ?? "";
    if (families.includes(family) && familyOf(ip) !== family) {
      fldPath.item(i).invalid(ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
    }
  }
}
