// Which families of addresses a service has, in which order, and whether it needs both: filled in from what its cluster has, what its
// addresses are and what it had, or refused. Upstream decides this before it checks anything else, and stops where it finds a fault.
import type { Fault } from "@kubeloop/core/api";
import type { Draft } from "../../kind-rules.ts";
import { parseIp } from "../../shared/ip-address.ts";
import { collectFaults, type ValidationPath } from "../../shared/validation-path.ts";
import { checkClusterIps } from "./check-cluster-ips.ts";
import { hasClusterIp, hasSelector, isSameList, none, type Spec } from "./service-traits.ts";

export type IpFamily = "IPv4" | "IPv6";

/** The families a cluster has; the first is the one of services that name none. */
export type ClusterFamilies = readonly [IpFamily, ...IpFamily[]];

/** Changes the draft; answers with why it is refused. `old` is undefined for a new service. */
export function settleFamilies(spec: Draft<Spec>, old: Spec | undefined, families: ClusterFamilies): readonly Fault[] {
  if (!hasClusterIp(spec) || keepsPreference(spec, old)) return [];
  setPolicy(spec, old);
  const early = collectFaults("spec", (fldPath) => checkClusterIps(spec, old, fldPath));
  if (early.length > 0) return early;
  const mismatches = collectFaults("spec", (fldPath) => {
    if (old !== undefined) checkReduction(spec, old, fldPath.at("ipFamilyPolicy"));
    checkSingle(spec, fldPath.at("ipFamilyPolicy"));
    inferFamilies(spec, families, fldPath.at("clusterIPs"));
  });
  if (mismatches.length > 0) return mismatches;
  // Where endpoints are nobody's but the user's, so are their families.
  if (spec.clusterIP === none && !hasSelector(spec)) {
    addFamilies(spec, families[0], 2);
    return [];
  }
  const missing = collectFaults("spec", (fldPath) => checkConfigured(spec, families, fldPath));
  if (missing.length === 0) addFamilies(spec, families[0], families.length);
  return missing;
}

/** One who prefers both families and changes nothing about them is not given another because the cluster has changed. */
export function keepsPreference(spec: Spec, old: Spec | undefined): boolean {
  if (old === undefined || spec.ipFamilyPolicy === undefined || old.type !== spec.type) return false;
  if (!["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type ?? "")) return false;
  const policies = [spec.ipFamilyPolicy, old.ipFamilyPolicy ?? "PreferDualStack"];
  if (policies.some((policy) => policy !== "PreferDualStack")) return false;
  return isSameList(old.clusterIPs, spec.clusterIPs) && isSameList(old.ipFamilies, spec.ipFamilies);
}

function setPolicy(spec: Draft<Spec>, old: Spec | undefined): void {
  const isOpen = spec.clusterIP === none && !hasSelector(spec);
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isOpen ? "RequireDualStack" : "SingleStack");
}

/** Who wants one family only lets the second go; who does not must say so to lose it. */
function checkReduction(spec: Draft<Spec>, old: Spec, fldPath: ValidationPath): void {
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (isSameList(old.clusterIPs, spec.clusterIPs)) shorten(spec, "clusterIPs");
    if (isSameList(old.ipFamilies, spec.ipFamilies)) shorten(spec, "ipFamilies");
    return;
  }
  if (isShorter(spec.clusterIPs, old.clusterIPs)) {
    fldPath.invalid(spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP");
  }
  if (isShorter(spec.ipFamilies, old.ipFamilies)) {
    fldPath.invalid(spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family");
  }
}

function shorten(spec: Draft<Spec>, field: "clusterIPs" | "ipFamilies"): void {
  const list = spec[field];
  if (list !== undefined && list.length > 1) spec[field] = list.slice(0, 1);
}

const isShorter = (list: readonly string[] = [], old: readonly string[] = []) =>
  list.length > 0 && list.length < old.length;

function checkSingle({ ipFamilyPolicy, clusterIPs, ipFamilies }: Spec, fldPath: ValidationPath): void {
  if (ipFamilyPolicy !== "SingleStack") return;
  const needed = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (clusterIPs?.length === 2) fldPath.invalid(ipFamilyPolicy, `${needed} cluster IPs are specified`);
  if (ipFamilies?.length === 2) fldPath.invalid(ipFamilyPolicy, `${needed} IP families are specified`);
}

/** Addresses say what family they are of. */
function inferFamilies(spec: Draft<Spec>, families: ClusterFamilies, fldPath: ValidationPath): void {
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === none) break;
    const family = parseIp(ip)?.family;
    if (family === undefined || i < (spec.ipFamilies ?? []).length) continue;
    if (families.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else fldPath.item(i).invalid(spec.clusterIPs, `${family} is not configured on this cluster`);
  }
}

function checkConfigured(
  { ipFamilyPolicy, ipFamilies = [] }: Spec,
  families: ClusterFamilies,
  fldPath: ValidationPath,
): void {
  if (ipFamilyPolicy === "RequireDualStack" && families.length < 2) {
    fldPath.at("ipFamilyPolicy").invalid(ipFamilyPolicy, "this cluster is not configured for dual-stack services");
  }
  for (const [i, family] of ipFamilies.entries()) {
    if (families.includes(family as IpFamily)) continue;
    fldPath.at("ipFamilies").item(i).invalid(family, "not configured on this cluster");
  }
}

/** The cluster's own where none is named, and the other one where both are wanted and can be had. */
function addFamilies(spec: Draft<Spec>, primary: IpFamily, available: number): void {
  const named = spec.ipFamilies ?? [];
  const families = named.length === 0 ? [primary] : named;
  const isDual = spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && available === 2;
  spec.ipFamilies = isDual ? [...families, families[0] === "IPv4" ? "IPv6" : "IPv4"] : [...families];
}
