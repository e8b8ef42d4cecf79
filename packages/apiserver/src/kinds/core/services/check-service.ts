// What must hold of a service, whatever it was before.
import { validateDns1123Subdomain, validatePortNumber, validateQualifiedName } from "@kubeloop/core/api";
import { checkChoice, isAbsent } from "../../shared/checks.ts";
import { checkLegacyCidr } from "../../shared/cidr.ts";
import { checkEndpointIp } from "../../shared/endpoint-ip.ts";
import type { FaultPlace } from "../../shared/fault-place.ts";
import { checkLegacyIp } from "../../shared/ip-address.ts";
import { checkLabels } from "../../shared/labels.ts";
import type { ObjectPlaces } from "../../shared/object-faults.ts";
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
export function checkService(service: Service, old: Service | undefined, at: ObjectPlaces): void {
  const spec = specOf(service);
  const oldSpec = old === undefined ? undefined : specOf(old);
  const place = at("spec");
  checkTopology(service, at("metadata").at("annotations"));
  checkByType(spec, place);
  checkPorts(spec.ports ?? [], place.at("ports"));
  checkLabels(spec.selector, place.at("selector"));
  checkAffinity(spec, place);
  checkClusterIps(spec, oldSpec, place);
  checkExternalIps(spec, oldSpec, place.at("externalIPs"));
  checkChoice(spec.type, place.at("type"), types);
  checkNodePorts(spec, place.at("ports"));
  checkTwice(spec.ports ?? [], place.at("ports"));
  checkSourceRanges(service, old, at);
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isLoadBalancer(spec)) {
    place.at("allocateLoadBalancerNodePorts").forbidden(onlyBalanced);
  }
  checkBalancerClass(spec, place.at("loadBalancerClass"));
  checkExternalTraffic(spec, place);
  checkInternalTraffic(spec, place);
}

function checkTopology({ metadata }: Service, place: FaultPlace): void {
  const mode = metadata.annotations?.[topology];
  const hints = metadata.annotations?.[oldTopology];
  if (mode === undefined || hints === undefined || mode === hints) return;
  place.item(topology).invalid(mode, `must match annotations[${oldTopology}] when both are specified`);
}

function checkByType(spec: Spec, place: FaultPlace): void {
  const { type, ports = [], clusterIPs = [], externalName = "" } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") place.at("ports").required();
  switch (type) {
    case "LoadBalancer":
    case "NodePort":
      if (!isHeadless(spec)) return;
      place.at("clusterIPs").item(0).invalid(clusterIPs[0], `may not be set to 'None' for ${type} services`);
      return;
    case "ExternalName": {
      if (clusterIPs.length > 0) place.at("clusterIPs").forbidden(notExternalName);
      if ((spec.ipFamilies ?? []).length > 0) place.at("ipFamilies").forbidden(notExternalName);
      if (spec.ipFamilyPolicy !== undefined) place.at("ipFamilyPolicy").forbidden(notExternalName);
      const name = externalName.replace(/\.$/, "");
      if (name === "") place.at("externalName").required();
      else place.at("externalName").invalidFor(name, validateDns1123Subdomain(name));
      return;
    }
    default:
  }
}

function checkAffinity({ sessionAffinity, sessionAffinityConfig }: Spec, place: FaultPlace): void {
  checkChoice(sessionAffinity, place.at("sessionAffinity"), affinities);
  const configPlace = place.at("sessionAffinityConfig");
  if (sessionAffinity === "None" && sessionAffinityConfig !== undefined) {
    configPlace.forbidden("must not be set when session affinity is None");
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (sessionAffinity !== "ClientIP" || seconds === undefined) return;
  if (seconds > 0 && seconds <= longestAffinitySeconds) return;
  const why = `must be greater than 0 and less than ${longestAffinitySeconds}`;
  configPlace.at("clientIP", "timeoutSeconds").invalid(seconds, why);
}

function checkExternalIps({ externalIPs = [] }: Spec, old: Spec | undefined, place: FaultPlace): void {
  for (const [i, ip] of externalIPs.entries()) {
    const before = place.faultCount;
    checkLegacyIp(ip, place.item(i), old?.externalIPs ?? []);
    if (place.faultCount === before) checkEndpointIp(ip, place.item(i));
  }
}

/** In the field, or in the annotation that was there before it; with spaces around, since it came from there. */
function checkSourceRanges(service: Service, old: Service | undefined, at: ObjectPlaces): void {
  const spec = specOf(service);
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  const annotation = service.metadata.annotations?.[sourceRanges];
  if (ranges.length > 0) {
    const place = at("spec").at("LoadBalancerSourceRanges");
    if (!isLoadBalancer(spec)) place.forbidden(onlyBalanced);
    const held = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    for (const [i, range] of ranges.entries()) checkLegacyCidr(range.trim(), place.item(i), held);
  } else if (annotation !== undefined) {
    const place = at("metadata").at("annotations").item(sourceRanges);
    if (!isLoadBalancer(spec)) place.forbidden(onlyBalanced);
    if (annotation.trim() === "" || old?.metadata.annotations?.[sourceRanges] === annotation) return;
    for (const range of annotation.split(",")) checkLegacyCidr(range.trim(), place);
  }
}

export function checkBalancerClass(spec: Spec, place: FaultPlace): void {
  const name = spec.loadBalancerClass;
  if (name === undefined) return;
  if (isLoadBalancer(spec)) place.invalidFor(name, validateQualifiedName(name));
  else place.forbidden(onlyBalanced);
}

function checkExternalTraffic(spec: Spec, place: FaultPlace): void {
  const { externalTrafficPolicy: policy, healthCheckNodePort: port = 0 } = spec;
  const policyPlace = place.at("externalTrafficPolicy");
  if (isExternallyAccessible(spec)) checkChoice(policy, policyPlace, trafficPolicies);
  else if (!isAbsent(policy)) policyPlace.invalid(policy, "may only be set for externally-accessible services");
  const portPlace = place.at("healthCheckNodePort");
  if (needsHealthCheck(spec)) {
    if (port === 0) portPlace.required();
    else portPlace.invalidFor(port, validatePortNumber(port));
  } else if (port !== 0) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    portPlace.invalid(port, why);
  }
}

function checkInternalTraffic({ internalTrafficPolicy, trafficDistribution }: Spec, place: FaultPlace): void {
  if (internalTrafficPolicy !== undefined && !trafficPolicies.includes(internalTrafficPolicy)) {
    place.at("internalTrafficPolicy").notSupported(internalTrafficPolicy, trafficPolicies);
  }
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution)) {
    place.at("trafficDistribution").notSupported(trafficDistribution, distributions);
  }
}
