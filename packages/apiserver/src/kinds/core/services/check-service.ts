// What must hold of a service, whatever it was before.
import { validateDns1123Subdomain, validatePortNumber, validateQualifiedName } from "@kubeloop/core/api";
import { checkChoice, isAbsent } from "../../shared/checks.ts";
import { checkLegacyCidr } from "../../shared/cidr.ts";
import { checkEndpointIp } from "../../shared/endpoint-ip.ts";
import { checkLegacyIp } from "../../shared/ip-address.ts";
import { checkLabels } from "../../shared/labels.ts";
import type { ObjectPaths } from "../../shared/object-faults.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import { checkClusterIps } from "./check-cluster-ips.ts";
import { checkNodePorts, checkPorts, checkTwice } from "./check-ports.ts";
import {
  isExternallyAccessible,
  isHeadless,
  isLoadBalancer,
  needsHealthCheck,
  type Service,
  type Spec,
  specOf,
} from "./service-traits.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const trafficPolicies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const longestAffinitySeconds = 86_400;
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
const notExternalName = "may not be set for ExternalName services";

const oldTopology = "service.kubernetes.io/topology-aware-hints";
const topology = "service.kubernetes.io/topology-mode";
const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** `old` is undefined for a new service. */
export function checkService(service: Service, old: Service | undefined, at: ObjectPaths): void {
  const spec = specOf(service);
  const oldSpec = old === undefined ? undefined : specOf(old);
  const fldPath = at("spec");
  checkTopology(service, at("metadata").at("annotations"));
  checkByType(spec, fldPath);
  checkPorts(spec.ports ?? [], fldPath.at("ports"));
  checkLabels(spec.selector, fldPath.at("selector"));
  checkAffinity(spec, fldPath);
  checkClusterIps(spec, oldSpec, fldPath);
  checkExternalIps(spec, oldSpec, fldPath.at("externalIPs"));
  checkChoice(spec.type, fldPath.at("type"), types);
  checkNodePorts(spec, fldPath.at("ports"));
  checkTwice(spec.ports ?? [], fldPath.at("ports"));
  checkSourceRanges(service, old, at);
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isLoadBalancer(spec)) {
    fldPath.at("allocateLoadBalancerNodePorts").forbidden(onlyBalanced);
  }
  checkBalancerClass(spec, fldPath.at("loadBalancerClass"));
  checkExternalTraffic(spec, fldPath);
  checkInternalTraffic(spec, fldPath);
}

function checkTopology({ metadata }: Service, fldPath: ValidationPath): void {
  const mode = metadata.annotations?.[topology];
  const hints = metadata.annotations?.[oldTopology];
  if (mode === undefined || hints === undefined || mode === hints) return;
  fldPath.item(topology).invalid(mode, `must match annotations[${oldTopology}] when both are specified`);
}

function checkByType(spec: Spec, fldPath: ValidationPath): void {
  const { type, ports = [], clusterIPs = [], externalName = "" } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") fldPath.at("ports").required();
  switch (type) {
    case "LoadBalancer":
    case "NodePort":
      if (!isHeadless(spec)) return;
      fldPath.at("clusterIPs").item(0).invalid(clusterIPs[0], `may not be set to 'None' for ${type} services`);
      return;
    case "ExternalName": {
      if (clusterIPs.length > 0) fldPath.at("clusterIPs").forbidden(notExternalName);
      if ((spec.ipFamilies ?? []).length > 0) fldPath.at("ipFamilies").forbidden(notExternalName);
      if (spec.ipFamilyPolicy !== undefined) fldPath.at("ipFamilyPolicy").forbidden(notExternalName);
      const name = externalName.replace(/\.$/, "");
      if (name === "") fldPath.at("externalName").required();
      else fldPath.at("externalName").invalidFor(name, validateDns1123Subdomain(name));
      return;
    }
    default:
  }
}

function checkAffinity({ sessionAffinity, sessionAffinityConfig }: Spec, fldPath: ValidationPath): void {
  checkChoice(sessionAffinity, fldPath.at("sessionAffinity"), affinities);
  const configPath = fldPath.at("sessionAffinityConfig");
  if (sessionAffinity === "None" && sessionAffinityConfig !== undefined) {
    configPath.forbidden("must not be set when session affinity is None");
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (sessionAffinity !== "ClientIP" || seconds === undefined) return;
  if (seconds > 0 && seconds <= longestAffinitySeconds) return;
  const why = `must be greater than 0 and less than ${longestAffinitySeconds}`;
  configPath.at("clientIP", "timeoutSeconds").invalid(seconds, why);
}

function checkExternalIps({ externalIPs = [] }: Spec, old: Spec | undefined, fldPath: ValidationPath): void {
  for (const [i, ip] of externalIPs.entries()) {
    const before = fldPath.faultCount;
    checkLegacyIp(ip, fldPath.item(i), old?.externalIPs ?? []);
    if (fldPath.faultCount === before) checkEndpointIp(ip, fldPath.item(i));
  }
}

/** In the field, or in the annotation that was there before it; with spaces around, since it came from there. */
function checkSourceRanges(service: Service, old: Service | undefined, at: ObjectPaths): void {
  const spec = specOf(service);
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  const annotation = service.metadata.annotations?.[sourceRanges];
  if (ranges.length > 0) {
    const fldPath = at("spec").at("LoadBalancerSourceRanges");
    if (!isLoadBalancer(spec)) fldPath.forbidden(onlyBalanced);
    const held = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    for (const [i, range] of ranges.entries()) checkLegacyCidr(range.trim(), fldPath.item(i), held);
  } else if (annotation !== undefined) {
    const fldPath = at("metadata").at("annotations").item(sourceRanges);
    if (!isLoadBalancer(spec)) fldPath.forbidden(onlyBalanced);
    if (annotation.trim() === "" || old?.metadata.annotations?.[sourceRanges] === annotation) return;
    for (const range of annotation.split(",")) checkLegacyCidr(range.trim(), fldPath);
  }
}

export function checkBalancerClass(spec: Spec, fldPath: ValidationPath): void {
  const name = spec.loadBalancerClass;
  if (name === undefined) return;
  if (isLoadBalancer(spec)) fldPath.invalidFor(name, validateQualifiedName(name));
  else fldPath.forbidden(onlyBalanced);
}

function checkExternalTraffic(spec: Spec, fldPath: ValidationPath): void {
  const { externalTrafficPolicy: policy, healthCheckNodePort: port = 0 } = spec;
  const policyPath = fldPath.at("externalTrafficPolicy");
  if (isExternallyAccessible(spec)) checkChoice(policy, policyPath, trafficPolicies);
  else if (!isAbsent(policy)) policyPath.invalid(policy, "may only be set for externally-accessible services");
  const portPath = fldPath.at("healthCheckNodePort");
  if (needsHealthCheck(spec)) {
    if (port === 0) portPath.required();
    else portPath.invalidFor(port, validatePortNumber(port));
  } else if (port !== 0) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    portPath.invalid(port, why);
  }
}

function checkInternalTraffic({ internalTrafficPolicy, trafficDistribution }: Spec, fldPath: ValidationPath): void {
  if (internalTrafficPolicy !== undefined && !trafficPolicies.includes(internalTrafficPolicy)) {
    fldPath.at("internalTrafficPolicy").notSupported(internalTrafficPolicy, trafficPolicies);
  }
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution)) {
    fldPath.at("trafficDistribution").notSupported(trafficDistribution, distributions);
  }
}
