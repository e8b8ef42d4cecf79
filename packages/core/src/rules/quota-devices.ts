// What a ResourceClaim uses of a ResourceQuota: devices by class, and the same devices as extended resources, which pods may request by name.
// A claim that was made for such a pod is not charged for what the pod is charged for already.
import type { Pod } from "../api/generated/types/core/v1.ts";
import type { DeviceClass, ResourceClaim } from "../api/generated/types/resource/v1.ts";
import { controllerOf } from "../api/owner-references.ts";
import { addQuantities, compareQuantities, quantityOf, quantitySign, subtractQuantities } from "../api/quantity.ts";
import type { Quantity } from "../api/quantity-text.ts";
import { parseTime } from "../api/time.ts";
import { deviceClassPrefix, isExtendedQuotaResource } from "./quota-usage.ts";
import type { ResourceAmounts } from "./resource-amounts.ts";

const perClass = ".deviceclass.resource.k8s.io/devices";
const claimCount = "count/resourceclaims.resource.k8s.io";
const extendedClaimAnnotation = "resource.kubernetes.io/extended-resource-claim";
/** A claim for all devices that match is charged with the most that an allocation can have. */
const mostDevices = 32;

/** The DeviceClasses of a cluster, by name. */
export type DeviceClasses = ReadonlyMap<string, DeviceClass>;

/** Returns those of a quota's resources that ResourceClaims use. Extended resources only if `classes` is given and has a class for them. */
export function deviceQuotaResources(names: readonly string[], classes?: DeviceClasses): string[] {
  const extended = new Set(
    [...(classes ?? [])].flatMap(([name, { spec }]) => [spec.extendedResourceName, deviceClassPrefix + name]),
  );
  return names.filter((name) => {
    if (name === claimCount || name.endsWith(perClass)) return true;
    return isExtendedQuotaResource(name) && extended.has(name.slice("requests.".length));
  });
}

/**
 * Returns what a claim uses. With `classes`, its devices count as extended resources, too, less what `podUsage` has of them: the usage of the
 * pod that the claim was made for.
 */
export function deviceClaimUsage(
  claim: ResourceClaim,
  classes?: DeviceClasses,
  podUsage: ResourceAmounts = new Map(),
): ResourceAmounts {
  const devices = devicesByClass(claim);
  const usage = new Map([[claimCount, quantityOf(1)]]);
  for (const [name, count] of devices) usage.set(name + perClass, count);
  if (classes === undefined) return usage;
  for (const [name, count] of devices) {
    const explicit = classes.get(name)?.spec.extendedResourceName ?? "";
    for (const extended of [deviceClassPrefix + name, ...(explicit === "" ? [] : [explicit])]) {
      const charged = podUsage.get(`requests.${extended}`);
      const left = charged === undefined ? count : subtractQuantities(count, charged);
      if (quantitySign(left) > 0) usage.set(`requests.${extended}`, left);
    }
  }
  return usage;
}

/** Returns the name and uid of the pod for whose extended resources a claim was made; undefined for other claims. */
export function podOfExtendedClaim(claim: ResourceClaim): { readonly name: string; readonly uid: string } | undefined {
  if (claim.metadata.annotations?.[extendedClaimAnnotation] !== "true") return undefined;
  const owner = controllerOf(claim);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined;
}

/**
 * Whether the pod is the one that the claim was made for. A pod whose status does not name its claim yet has the oldest of those that it
 * owns; `owned` are these.
 */
export function isClaimOfPod(claim: ResourceClaim, pod: Pod, owned: readonly ResourceClaim[]): boolean {
  const owner = podOfExtendedClaim(claim);
  if (owner === undefined || owner.name !== pod.metadata.name || owner.uid !== pod.metadata.uid) return false;
  const named = pod.status?.extendedResourceClaimStatus;
  if (named !== undefined) return named.resourceClaimName === claim.metadata.name;
  return !owned.some((other) => isBefore(other, claim));
}

function isBefore({ metadata: one }: ResourceClaim, { metadata: other }: ResourceClaim): boolean {
  const createdOne = parseTime(one.creationTimestamp ?? "");
  const createdOther = parseTime(other.creationTimestamp ?? "");
  if (createdOne !== createdOther) return createdOne < createdOther;
  return (one.name ?? "") < (other.name ?? "");
}

function devicesByClass({ spec }: ResourceClaim): ReadonlyMap<string, Quantity> {
  const devices = new Map<string, Quantity>();
  const add = (name: string, count: Quantity) =>
    devices.set(name, addQuantities(devices.get(name) ?? quantityOf(0), count));
  for (const { firstAvailable = [], exactly } of spec.devices?.requests ?? []) {
    if (firstAvailable.length > 0) {
      // Only one of the alternatives is allocated: for each class, the largest counts.
      const largest = new Map<string, Quantity>();
      for (const { deviceClassName, ...rest } of firstAvailable) {
        const count = deviceCount(rest);
        const other = largest.get(deviceClassName);
        if (quantitySign(count) > 0 && (other === undefined || compareQuantities(count, other) > 0)) {
          largest.set(deviceClassName, count);
        }
      }
      for (const [name, count] of largest) add(name, count);
    } else if (exactly !== undefined) {
      add(exactly.deviceClassName, deviceCount(exactly));
    }
  }
  return devices;
}

/** A mode that is not known counts nothing. */
function deviceCount(request: {
  readonly allocationMode?: string | undefined;
  readonly count?: number | undefined;
}): Quantity {
  switch (request.allocationMode) {
    case "ExactCount":
      return quantityOf(request.count ?? 0);
    case "All":
      return quantityOf(mostDevices);
    default:
      return quantityOf(0);
  }
}
