// What a node may say about a pod: its class of service stays, what has ended does not run again unless it may be restarted, and
// there is one address of each family.
import { type corev1, validateQualifiedName } from "@kubeloop/core/api";
import { checkId } from "../../pod-spec/check-security.ts";
import { checkDnsLabel, checkDnsSubdomain } from "../../shared/checks.ts";
import { internalForm } from "../../shared/internal-form.ts";
import { checkLegacyIp, parseIp } from "../../shared/ip-address.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import { podOptions } from "./check-pod.ts";
import { checkTransitions } from "./check-transitions.ts";
import { checkChangedAnnotations } from "./check-update.ts";

type Pod = corev1.Pod;
type PodStatus = corev1.PodStatus;

const ownConditions = ["PodScheduled", "Ready", "Initialized"];
const statusLists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;
const notNegative = "must be a non-negative integer";

export function checkPodStatus(pod: Pod, old: Pod, fldPath: ValidationPath): void {
  const status = pod.status ?? {};
  const oldStatus = old.status ?? {};
  checkChangedAnnotations(pod, old, fldPath.beside("metadata").at("annotations"), podOptions(old));
  checkConditions(status, fldPath.at("conditions"));
  checkNomination(status, old, fldPath.at("nominatedNodeName"));
  if ((status.observedGeneration ?? 0) < 0)
    fldPath.at("observedGeneration").invalid(status.observedGeneration, notNegative);
  if (status.qosClass !== oldStatus.qosClass)
    fldPath.at("qosClass").invalid(status.qosClass ?? "", "field is immutable");
  checkTransitions(pod, old, fldPath);
  checkClaimStatuses(pod, fldPath);
  checkAddresses(status, oldStatus, fldPath);
  for (const list of statusLists) {
    for (const [i, container] of (status[list] ?? []).entries()) {
      checkUser(container, fldPath.at(list).item(i).at("user", "linux"), pod.spec.os?.name);
    }
  }
  checkAllocated(pod, fldPath);
}

function checkConditions({ conditions = [] }: PodStatus, fldPath: ValidationPath): void {
  for (const [i, { type = "", observedGeneration = 0 }] of conditions.entries()) {
    if (observedGeneration < 0) fldPath.item(i).at("observedGeneration").invalid(observedGeneration, notNegative);
    if (!ownConditions.includes(type)) fldPath.item(i).at("Type").invalidFor(type, validateQualifiedName(type));
  }
}

function checkNomination({ nominatedNodeName: name = "" }: PodStatus, old: Pod, fldPath: ValidationPath): void {
  if (name === "" || name === old.status?.nominatedNodeName) return;
  checkDnsSubdomain(name, fldPath);
  if ((old.spec.nodeName ?? "") !== "") fldPath.forbidden("may not be set on pods that are already bound to a node");
}

function checkClaimStatuses({ spec, status = {} }: Pod, fldPath: ValidationPath): void {
  const names = new Set<string>();
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  for (const [i, { name, resourceClaimName }] of (status.resourceClaimStatuses ?? []).entries()) {
    const claimPath = fldPath.at("resourceClaimStatuses").item(i);
    if (!claims.has(name)) {
      claimPath.at("name").invalid(name, "must match the name of an entry in `spec.resourceClaims`");
    }
    if (names.has(name)) claimPath.at("name").duplicate(name);
    names.add(name);
    if (resourceClaimName !== undefined) checkDnsSubdomain(resourceClaimName, claimPath.at("resourceClaimName"));
  }
  if (status.extendedResourceClaimStatus !== undefined) {
    checkExtendedClaim(status.extendedResourceClaimStatus, fldPath.at("extendedResourceClaimStatus"), spec);
  }
}

function checkExtendedClaim(
  { requestMappings, resourceClaimName }: corev1.PodExtendedResourceClaimStatus,
  fldPath: ValidationPath,
  spec: corev1.PodSpec,
): void {
  const containers = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((each) => [each.name, each]),
  );
  const mappingsPath = fldPath.at("requestMappings");
  if ((requestMappings ?? []).length === 0) mappingsPath.required("at least one request mapping is required");
  const seen = new Set<string>();
  for (const [i, mapping] of (requestMappings ?? []).entries()) {
    const { containerName, resourceName, requestName } = mapping;
    const container = containers.get(containerName);
    const mappingPath = mappingsPath.item(i);
    if (container === undefined) {
      const why = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      mappingPath.at("containerName").invalid(containerName, why);
    } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
      const why =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      mappingPath.at("resourceName").invalid(resourceName, why);
    }
    checkDnsLabel(requestName, fldPath.at("requestName"));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      for (const field of ["containerName", "resourceName", "requestName"] as const) {
        mappingPath.at(field).duplicate(mapping[field]);
      }
    }
    seen.add(key);
  }
  const namePath = fldPath.at("resourceClaimName");
  if ((resourceClaimName ?? "") === "") namePath.required();
  else checkDnsSubdomain(resourceClaimName, namePath);
}

function checkAddresses(status: PodStatus, old: PodStatus, fldPath: ValidationPath): void {
  checkFamilies(status.podIPs ?? [], old.podIPs ?? [], fldPath.at("podIPs"), "PodIP");
  const { hostIP = "", hostIPs = [] } = status;
  const first = hostIPs[0]?.ip;
  if (first !== undefined && first !== hostIP) {
    fldPath.at("hostIPs").item(0).at("ip").invalid(first, "must be equal to `hostIP`");
  }
  checkFamilies(hostIPs, old.hostIPs ?? [], fldPath.at("hostIPs"), "HostIP");
}

type Address = corev1.PodIP | corev1.HostIP;

function checkFamilies(
  addresses: readonly Address[],
  old: readonly Address[],
  fldPath: ValidationPath,
  type: "PodIP" | "HostIP",
): void {
  const before = old.map(({ ip }) => ip ?? "");
  for (const [i, { ip = "" }] of addresses.entries()) checkLegacyIp(ip, fldPath.item(i), before);
  if (addresses.length < 2) return;
  const families = addresses.map(({ ip }) => parseIp(ip ?? "")?.family);
  const unreadable = families.indexOf(undefined);
  if (unreadable >= 0) {
    const { ip } = addresses[unreadable] ?? {};
    fldPath.internal(`failed to check for dual stack with error:invalid IP[${unreadable}]: ${ip}`);
  } else if (addresses.length === 2 && families[0] !== families[1]) {
    return;
  }
  const shown = addresses.map((address) => internalForm(address, type));
  fldPath.invalid(shown, "may specify no more than one IP for each IP family");
}

function checkUser({ user }: corev1.ContainerStatus, fldPath: ValidationPath, os = "linux"): void {
  const linux = user?.linux;
  if (linux === undefined) return;
  if (os === "windows") {
    fldPath.forbidden("cannot be set for a windows pod");
    return;
  }
  checkId(linux.uid, fldPath.at("uid"));
  checkId(linux.gid, fldPath.at("gid"));
  for (const [i, group] of (linux.supplementalGroups ?? []).entries()) {
    checkId(group, fldPath.at("supplementalGroups").item(i));
  }
}

const healthValues = ["Healthy", "Unhealthy", "Unknown"];
const longestHealthMessage = 1024;

function checkAllocated({ spec, status = {} }: Pod, fldPath: ValidationPath): void {
  for (const [list, containers] of [
    ["containerStatuses", spec.containers],
    ["initContainerStatuses", spec.initContainers],
  ] as const) {
    const byName = new Map((containers ?? []).map((container) => [container.name, container]));
    for (const [i, { name, allocatedResourcesStatus = [] }] of (status[list] ?? []).entries()) {
      const container = byName.get(name);
      for (const [j, resource] of allocatedResourcesStatus.entries()) {
        checkAllocation(resource, fldPath.at(list).item(i).at("allocatedResourcesStatus").item(j), container);
      }
    }
  }
  for (const [i, { allocatedResourcesStatus = [] }] of (status.ephemeralContainerStatuses ?? []).entries()) {
    if (allocatedResourcesStatus.length === 0) continue;
    const listPath = fldPath.at("ephemeralContainerStatuses").item(i).at("allocatedResourcesStatus");
    listPath.forbidden("must not be specified in container status");
  }
}

function checkAllocation(
  { name, resources = [] }: corev1.ResourceStatus,
  fldPath: ValidationPath,
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
    fldPath.at("name").invalid(name, why);
  }
  const ids = new Set<string>();
  for (const [i, { resourceID, health = "", message }] of resources.entries()) {
    const resourcePath = fldPath.at("resources").item(i);
    if (!healthValues.includes(health)) resourcePath.at("health").notSupported(health, healthValues);
    if (message === "") resourcePath.at("message").required("must be non-empty if specified");
    else if (message !== undefined && Buffer.byteLength(message) > longestHealthMessage) {
      resourcePath.at("message").tooLong(longestHealthMessage);
    }
    if (ids.has(resourceID)) resourcePath.at("resourceID").duplicate(resourceID);
    ids.add(resourceID);
  }
}
