// What of a service may change: a second family of addresses may come and go, the first stays; unless it is, or becomes, a mere name.
import type { ValidationPath } from "../../shared/validation-path.ts";
import { checkBalancerClass } from "./check-service.ts";
import { hasClusterIp, isHeadless, isLoadBalancer, needsHealthCheck, type Spec } from "./service-traits.ts";

const once = "may not change once set";

/** `fldPath` is the spec's. */
export function checkServiceChange(spec: Spec, old: Spec, fldPath: ValidationPath): void {
  if (hasClusterIp(spec) && hasClusterIp(old)) {
    checkAddresses(spec, old, fldPath);
    checkFamilies(spec, old, fldPath);
  }
  if (isLoadBalancer(spec) && isLoadBalancer(old) && spec.loadBalancerClass !== old.loadBalancerClass) {
    fldPath.at("loadBalancerClass").invalid(spec.loadBalancerClass ?? null, once);
  }
  checkBalancerClass(spec, fldPath.at("loadBalancerClass"));
  const keepsHealthCheck = needsHealthCheck(spec) && needsHealthCheck(old);
  if (keepsHealthCheck && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    fldPath.at("healthCheckNodePort").forbidden("field is immutable");
  }
}

function checkAddresses(spec: Spec, old: Spec, fldPath: ValidationPath): void {
  if (isHeadless(spec) && isHeadless(old)) return;
  const ips = spec.clusterIPs ?? [];
  const oldIps = old.clusterIPs ?? [];
  const ipsPath = fldPath.at("clusterIPs");
  if (ips.length === oldIps.length) {
    for (const [i, ip] of oldIps.entries()) if (ip !== ips[i]) ipsPath.item(i).invalid(shown(ips), once);
    return;
  }
  if (ips.length === 0) ipsPath.item(0).invalid(null, "primary clusterIP can not be unset");
  else if (oldIps.length > 0 && ips[0] !== oldIps[0]) ipsPath.item(0).invalid(shown(ips), once);
  if (ips.length === 1) checkRelease(spec, oldIps.length, fldPath, "clusterIP");
}

function checkFamilies(spec: Spec, old: Spec, fldPath: ValidationPath): void {
  if (isHeadless(spec) || isHeadless(old)) return;
  const families = spec.ipFamilies ?? [];
  const oldFamilies = old.ipFamilies ?? [];
  const first = fldPath.at("ipFamilies").item(0);
  if (families.length === oldFamilies.length) {
    for (const [i, family] of oldFamilies.entries()) if (family !== families[i]) first.invalid(shown(families), once);
    return;
  }
  const { clusterIPs = [] } = spec;
  if (families.length < oldFamilies.length && clusterIPs.length === 0) {
    first.invalid(shown(families), "primary ipFamily can not be unset");
  }
  // What is shown is not what is wrong: upstream's way.
  const isOther = families.length > 0 && oldFamilies.length > 0 && families[0] !== oldFamilies[0];
  if (isOther) first.invalid(shown(clusterIPs), once);
  if (families.length === 1) checkRelease(spec, oldFamilies.length, fldPath, "ipFamily");
}

/** Who lets the second one go says that one is enough. */
function checkRelease(spec: Spec, oldLength: number, fldPath: ValidationPath, what: string): void {
  if (oldLength < 2 || spec.ipFamilyPolicy === "SingleStack") return;
  const why = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  fldPath.at("ipFamilyPolicy").invalid(spec.ipFamilyPolicy ?? null, why);
}

const shown = (list: readonly string[]) => (list.length === 0 ? null : list);
