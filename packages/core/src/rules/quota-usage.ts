// What one object uses of a ResourceQuota: object counts for any kind, and for pods, services and claims also what they request. Usages
// of several objects are added with `addAmounts`; a quota counts only the resources that it names.
import type { Container, PersistentVolumeClaim, Pod, Service } from "../api/generated/types/core/v1.ts";
import type { GroupResource } from "../api/group-version.ts";
import { compareQuantities, quantityOf, roundQuantityUp, zeroQuantity } from "../api/quantity.ts";
import type { Quantity } from "../api/quantity-text.ts";
import { parseTime } from "../api/time.ts";
import { validateQualifiedName } from "../api/validation.ts";
import { hasPodLevelResources, type PodResourceOptions, podLimits, podRequests } from "./pod-resources.ts";
import { isPodTerminal } from "./pods.ts";
import { noAmounts, type ResourceAmounts, toAmounts } from "./resource-amounts.ts";

const one = quantityOf(1);

/** Returns the name of the object count quota of any resource: "count/deployments.apps". */
export function countResourceName({ group, resource }: GroupResource): string {
  return group === "" ? `count/${resource}` : `count/${resource}.${group}`;
}

export function objectCountUsage(resource: GroupResource): ResourceAmounts {
  return new Map([[countResourceName(resource), one]]);
}

/** A pod that has ended, or whose deletion timestamp is longer ago than its grace period, counts only as an object. */
export function podUsage(pod: Pod, nowMs: number, options: PodResourceOptions = {}): ResourceAmounts {
  const usage = new Map([["count/pods", one]]);
  if (!isPodCharged(pod, nowMs)) return usage;
  return new Map([...usage, ...computeUsage(podRequests(pod, options), podLimits(pod, options))]);
}

export function serviceUsage(service: Pick<Service, "spec">): ResourceAmounts {
  const { type, ports = [], allocateLoadBalancerNodePorts } = service.spec ?? {};
  const isBalanced = type === "LoadBalancer";
  // If node ports are not allocated automatically, those requested by number still count.
  const isOnlyAsked = isBalanced && allocateLoadBalancerNodePorts === false;
  const asked = ports.filter(({ nodePort = 0 }) => nodePort !== 0);
  const nodePorts = isOnlyAsked ? asked.length : isBalanced || type === "NodePort" ? ports.length : 0;
  return new Map([
    ["count/services", one],
    ["services", one],
    ["services.loadbalancers", isBalanced ? one : zeroQuantity],
    ["services.nodeports", quantityOf(nodePorts)],
  ]);
}

/** In whole bytes. A claim that is being expanded counts with the larger of requested and allocated storage. */
export function claimUsage(claim: PersistentVolumeClaim): ResourceAmounts {
  const usage = new Map<string, Quantity>([
    ["persistentvolumeclaims", one],
    ["count/persistentvolumeclaims", one],
  ]);
  const storageClass =
    claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? claim.spec?.storageClassName ?? "";
  const storage = claimedStorage(claim);
  if (storage !== undefined) usage.set("requests.storage", storage);
  if (storageClass !== "") {
    usage.set(`${storageClass}.storageclass.storage.k8s.io/persistentvolumeclaims`, one);
    if (storage !== undefined) usage.set(`${storageClass}.storageclass.storage.k8s.io/requests.storage`, storage);
  }
  return usage;
}

/** Returns those of a quota's resources that pods use. */
export function podQuotaResources(names: readonly string[]): string[] {
  return names.filter(
    (name) =>
      podResources.has(name) ||
      name.startsWith("hugepages-") ||
      name.startsWith("requests.hugepages-") ||
      isExtendedQuotaResource(name),
  );
}

/** Whether a quota's resource is what pods request of an extended resource, or of a device class: "requests.example.com/gpu". */
export function isExtendedQuotaResource(name: string): boolean {
  return name.startsWith("requests.") && (!isNativeResource(name) || name.startsWith(`requests.${deviceClassPrefix}`));
}

/**
 * A quota on cpu or memory requires that every container declares how much it uses. Returns the error message if a container
 * does not; undefined if all do.
 */
export function findMissingResources(pod: Pick<Pod, "spec">, quotaResources: readonly string[]): string | undefined {
  if (hasPodLevelResources(pod)) return undefined;
  const demanded = quotaResources.filter((name) => demandedResources.has(name)).toSorted();
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const missing = demanded.flatMap((name) => {
    const lacking = containers.filter((container) => !containerUsage(container).has(name));
    const names = [...new Set(lacking.map((container) => container.name))].sort();
    return names.length === 0 ? [] : [`${name} for: ${names.join(",")}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}

const demandedResources: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
]);
const podResources: ReadonlySet<string> = new Set([
  ...demandedResources,
  "count/pods",
  "pods",
  "ephemeral-storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
]);
const computeResources = ["cpu", "memory", "ephemeral-storage"] as const;

/** Whether the pod counts with what it requests, and not only as an object. */
export function isPodCharged(pod: Pod, nowMs: number): boolean {
  if (isPodTerminal(pod)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function containerUsage({ resources }: Container): ResourceAmounts {
  if (resources === undefined) return noAmounts;
  return computeUsage(toAmounts(resources.requests), toAmounts(resources.limits));
}

/** Requests under their own names and as "requests.…"; limits as "limits.…". */
function computeUsage(requests: ResourceAmounts, limits: ResourceAmounts): Map<string, Quantity> {
  const usage = new Map([["pods", one]]);
  for (const name of computeResources) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith("hugepages-")) usage.set(name, request).set(`requests.${name}`, request);
    if (isExtendedResource(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

function isExtendedResource(name: string): boolean {
  if (name.startsWith(deviceClassPrefix)) return true;
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return validateQualifiedName(`requests.${name}`).length === 0;
}

export const deviceClassPrefix = "deviceclass.resource.kubernetes.io/";

function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function claimedStorage({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const request = toAmounts(spec?.resources?.requests).get("storage");
  if (request === undefined) return undefined;
  const allocated = toAmounts(status?.allocatedResources).get("storage");
  const isExpanding = allocated !== undefined && compareQuantities(allocated, request) > 0;
  return roundQuantityUp(isExpanding ? allocated : request, 0);
}
