// What a node may say about a pod: its class of service stays, what has ended does not run again unless it may be restarted, and
// there is one address of each family.
import { type corev1, validateQualifiedName } from "@kubeloop/core/api";
import { checkId } from "../../pod-spec/check-security.ts";
import { checkDnsLabel, checkDnsSubdomain } from "../../shared/checks.ts";
import type { FaultPlace } from "../../shared/fault-place.ts";
import { internalForm } from "../../shared/internal-form.ts";
import { checkLegacyIp, parseIp } from "../../shared/ip-address.ts";
import { podOptions } from "./check-pod.ts";
import { checkTransitions } from "./check-transitions.ts";
import { checkChangedAnnotations } from "./check-update.ts";

type Pod = corev1.Pod;
type PodStatus = corev1.PodStatus;

const ownConditions = ["PodScheduled", "Ready", "Initialized"];
const statusLists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;
const notNegative = "must be a non-negative integer";

export function checkPodStatus(pod: Pod, old: Pod, place: FaultPlace): void {
  const status = pod.status ?? {};
  const oldStatus = old.status ?? {};
  checkChangedAnnotations(pod, old, place.beside("metadata").at("annotations"), podOptions(old));
  checkConditions(status, place.at("conditions"));
  checkNomination(status, old, place.at("nominatedNodeName"));
  if ((status.observedGeneration ?? 0) < 0)
    place.at("observedGeneration").invalid(status.observedGeneration, notNegative);
  if (status.qosClass !== oldStatus.qosClass) place.at("qosClass").invalid(status.qosClass ?? "", "field is immutable");
  checkTransitions(pod, old, place);
  checkClaimStatuses(pod, place);
  checkAddresses(status, oldStatus, place);
  for (const list of statusLists) {
    for (const [i, container] of (status[list] ?? []).entries()) {
      checkUser(container, place.at(list).item(i).at("user", "linux"), pod.spec.os?.name);
    }
  }
  checkAllocated(pod, place);
}

function checkConditions({ conditions = [] }: PodStatus, place: FaultPlace): void {
  for (const [i, { type = "", observedGeneration = 0 }] of conditions.entries()) {
    if (observedGeneration < 0) place.item(i).at("observedGeneration").invalid(observedGeneration, notNegative);
    if (!ownConditions.includes(type)) place.item(i).at("Type").invalidFor(type, validateQualifiedName(type));
  }
}

function checkNomination({ nominatedNodeName: name = "" }: PodStatus, old: Pod, place: FaultPlace): void {
  if (name === "" || name === old.status?.nominatedNodeName) return;
  checkDnsSubdomain(name, place);
  if ((old.spec.nodeName ?? "") !== "") place.forbidden("may not be set on pods that are already bound to a node");
}

function checkClaimStatuses({ spec, status = {} }: Pod, place: FaultPlace): void {
  const names = new Set<string>();
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  for (const [i, { name, resourceClaimName }] of (status.resourceClaimStatuses ?? []).entries()) {
    const claimPlace = place.at("resourceClaimStatuses").item(i);
    if (!claims.has(name)) {
      claimPlace.at("name").invalid(name, "must match the name of an entry in `spec.resourceClaims`");
    }
    if (names.has(name)) claimPlace.at("name").duplicate(name);
    names.add(name);
    if (resourceClaimName !== undefined) checkDnsSubdomain(resourceClaimName, claimPlace.at("resourceClaimName"));
  }
  if (status.extendedResourceClaimStatus !== undefined) {
    checkExtendedClaim(status.extendedResourceClaimStatus, place.at("extendedResourceClaimStatus"), spec);
  }
}

function checkExtendedClaim(
  { requestMappings, resourceClaimName }: corev1.PodExtendedResourceClaimStatus,
  place: FaultPlace,
  spec: corev1.PodSpec,
): void {
  const containers = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((each) => [each.name, each]),
  );
  const mappingsPlace = place.at("requestMappings");
  if ((requestMappings ?? []).length === 0) mappingsPlace.required("at least one request mapping is required");
  const seen = new Set<string>();
  for (const [i, mapping] of (requestMappings ?? []).entries()) {
    const { containerName, resourceName, requestName } = mapping;
    const container = containers.get(containerName);
    const mappingPlace = mappingsPlace.item(i);
    if (container === undefined) {
      const why = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      mappingPlace.at("containerName").invalid(containerName, why);
    } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
      const why =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      mappingPlace.at("resourceName").invalid(resourceName, why);
    }
    checkDnsLabel(requestName, place.at("requestName"));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      for (const field of ["containerName", "resourceName", "requestName"] as const) {
        mappingPlace.at(field).duplicate(mapping[field]);
      }
    }
    seen.add(key);
  }
  const namePlace = place.at("resourceClaimName");
  if ((resourceClaimName ?? "") === "") namePlace.required();
  else checkDnsSubdomain(resourceClaimName, namePlace);
}

function checkAddresses(status: PodStatus, old: PodStatus, place: FaultPlace): void {
  checkFamilies(status.podIPs ?? [], old.podIPs ?? [], place.at("podIPs"), "PodIP");
  const { hostIP = "", hostIPs = [] } = status;
  const first = hostIPs[0]?.ip;
  if (first !== undefined && first !== hostIP) {
    place.at("hostIPs").item(0).at("ip").invalid(first, "must be equal to `hostIP`");
  }
  checkFamilies(hostIPs, old.hostIPs ?? [], place.at("hostIPs"), "HostIP");
}

type Address = corev1.PodIP | corev1.HostIP;

function checkFamilies(
  addresses: readonly Address[],
  old: readonly Address[],
  place: FaultPlace,
  type: "PodIP" | "HostIP",
): void {
  const before = old.map(({ ip }) => ip ?? "");
  for (const [i, { ip = "" }] of addresses.entries()) checkLegacyIp(ip, place.item(i), before);
  if (addresses.length < 2) return;
  const families = addresses.map(({ ip }) => parseIp(ip ?? "")?.family);
  const unreadable = families.indexOf(undefined);
  if (unreadable >= 0) {
    const { ip } = addresses[unreadable] ?? {};
    place.internal(`failed to check for dual stack with error:invalid IP[${unreadable}]: ${ip}`);
  } else if (addresses.length === 2 && families[0] !== families[1]) {
    return;
  }
  const shown = addresses.map((address) => internalForm(address, type));
  place.invalid(shown, "may specify no more than one IP for each IP family");
}

function checkUser({ user }: corev1.ContainerStatus, place: FaultPlace, os = "linux"): void {
  const linux = user?.linux;
  if (linux === undefined) return;
  if (os === "windows") {
    place.forbidden("cannot be set for a windows pod");
    return;
  }
  checkId(linux.uid, place.at("uid"));
  checkId(linux.gid, place.at("gid"));
  for (const [i, group] of (linux.supplementalGroups ?? []).entries()) {
    checkId(group, place.at("supplementalGroups").item(i));
  }
}

const healthValues = ["Healthy", "Unhealthy", "Unknown"];
const longestHealthMessage = 1024;

function checkAllocated({ spec, status = {} }: Pod, place: FaultPlace): void {
  for (const [list, containers] of [
    ["containerStatuses", spec.containers],
    ["initContainerStatuses", spec.initContainers],
  ] as const) {
    const byName = new Map((containers ?? []).map((container) => [container.name, container]));
    for (const [i, { name, allocatedResourcesStatus = [] }] of (status[list] ?? []).entries()) {
      const container = byName.get(name);
      for (const [j, resource] of allocatedResourcesStatus.entries()) {
        checkAllocation(resource, place.at(list).item(i).at("allocatedResourcesStatus").item(j), container);
      }
    }
  }
  for (const [i, { allocatedResourcesStatus = [] }] of (status.ephemeralContainerStatuses ?? []).entries()) {
    if (allocatedResourcesStatus.length === 0) continue;
    const listPlace = place.at("ephemeralContainerStatuses").item(i).at("allocatedResourcesStatus");
    listPlace.forbidden("must not be specified in container status");
  }
}

function checkAllocation(
  { name, resources = [] }: corev1.ResourceStatus,
  place: FaultPlace,
  container: corev1.Container | undefined,
): void {
  const isClaim = name.startsWith("claim:");
  const known = isClaim
    ? (container?.resources?.claims ?? []).map((claim) =>
        (claim.request ?? "") === "" ? `claim:${claim.name}` : `claim:${claim.name}/${claim.request}`,
      )
    : Object.keys(container?.resources?.requests ?? {});
  if (container !== undefined && !known.includes(name)) {
    const why = isClaim
      ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
      : "must match one of the container's resource requests";
    place.at("name").invalid(name, why);
  }
  const ids = new Set<string>();
  for (const [i, { resourceID, health = "", message }] of resources.entries()) {
    const resourcePlace = place.at("resources").item(i);
    if (!healthValues.includes(health)) resourcePlace.at("health").notSupported(health, healthValues);
    if (message === "") resourcePlace.at("message").required("must be non-empty if specified");
    else if (message !== undefined && Buffer.byteLength(message) > longestHealthMessage) {
      resourcePlace.at("message").tooLong(longestHealthMessage);
    }
    if (ids.has(resourceID)) resourcePlace.at("resourceID").duplicate(resourceID);
    ids.add(resourceID);
  }
}
