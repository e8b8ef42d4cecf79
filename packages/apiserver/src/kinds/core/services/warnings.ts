// What is accepted in a service and probably not meant.

import { isAbsent } from "../../shared/checks.ts";
import { cidrWarnings } from "../../shared/cidr.ts";
import { ipWarnings } from "../../shared/ip-address.ts";
import { collectFaults } from "../../shared/validation-path.ts";
import { none, type Service, specOf } from "./service-traits.ts";

const oldTopology = "service.kubernetes.io/topology-aware-hints";

export function serviceWarnings(service: Service): readonly string[] {
  const spec = specOf(service);
  const { clusterIP, externalIPs = [], loadBalancerIP, type } = spec;
  const isHeadless = type === "ClusterIP" && clusterIP === none;
  const warnings: string[] = [];
  const warn = (isDue: boolean, text: string) => {
    if (isDue) warnings.push(text);
  };
  const instead = "please use service.kubernetes.io/topology-mode instead";
  warn(
    service.metadata.annotations?.[oldTopology] !== undefined,
    `annotation ${oldTopology} is deprecated, ${instead}`,
  );
  collectFaults("spec", (fldPath) => {
    const clusterIps = isAbsent(clusterIP) || clusterIP === none ? [] : (spec.clusterIPs ?? []);
    for (const [i, ip] of clusterIps.entries()) warnings.push(...ipWarnings(ip, fldPath.at("clusterIPs").item(i)));
    warn(isHeadless && !isAbsent(loadBalancerIP), "spec.loadBalancerIP is ignored for headless services");
    warn(isHeadless && externalIPs.length > 0, "spec.externalIPs is ignored for headless services");
    warn(isHeadless && spec.sessionAffinity !== "None", "spec.SessionAffinity is ignored for headless services");
    for (const [i, ip] of externalIPs.entries()) warnings.push(...ipWarnings(ip, fldPath.at("externalIPs").item(i)));
    warn(
      externalIPs.length > 0 && !isHeadless && type !== "ExternalName",
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    );
    if (!isAbsent(loadBalancerIP)) warnings.push(...ipWarnings(loadBalancerIP, fldPath.at("loadBalancerIP")));
    for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
      warnings.push(...cidrWarnings(range, fldPath.at("loadBalancerSourceRanges").item(i)));
    }
  });
  warn(
    type === "ExternalName" && externalIPs.length > 0,
    'spec.externalIPs is ignored when spec.type is "ExternalName"',
  );
  warn(
    type !== "ExternalName" && !isAbsent(spec.externalName),
    'spec.externalName is ignored when spec.type is not "ExternalName"',
  );
  warn(
    spec.trafficDistribution === "PreferClose",
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  );
  return warnings;
}

export function ingressWarnings({ status }: Service): readonly string[] {
  const warnings: string[] = [];
  collectFaults("status", (fldPath) => {
    for (const [i, { ip }] of (status?.loadBalancer?.ingress ?? []).entries()) {
      if (!isAbsent(ip)) warnings.push(...ipWarnings(ip, fldPath.at("loadBalancer", "ingress").item(i)));
    }
  });
  return warnings;
}
