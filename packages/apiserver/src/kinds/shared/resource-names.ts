// Names of resources: which are Kubernetes' own, which of them containers may ask for, which are counted in whole numbers and which
// may be promised to more than one.
import { validateQualifiedName } from "@kubeloop/core/api";
import type { ValidationPath } from "./validation-path.ts";

const hugePages = "hugepages-";
const requests = "requests.";

const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);

/** Counted objects. */
const countedResources = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

/** All that may stand without a domain. */
const standardResources = new Set([
  ...containerResources,
  ...[...containerResources].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...countedResources,
  "storage",
  "requests.storage",
]);

export function isHugePages(name: string): boolean {
  return name.startsWith(hugePages);
}

/** Kubernetes' own: without a domain, or in that of kubernetes.io. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** A device or such, in a domain of its own. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(requests)) return false;
  return validateQualifiedName(requests + name).length === 0;
}

/** Whether limits may exceed requests. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

export function isWholeNumberResource(name: string): boolean {
  return countedResources.has(name) || isExtendedResource(name);
}

/** Of the pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || isHugePages(name);
}

export function checkResourceName(name: string, fldPath: ValidationPath): void {
  const reasons = validateQualifiedName(name);
  fldPath.invalidFor(name, reasons);
  if (reasons.length > 0 || name.includes("/")) return;
  if (standardResources.has(name) || isHugePages(name) || name.startsWith(requests + hugePages)) return;
  fldPath.invalid(name, "must be a standard resource type or fully qualified");
}

export function checkContainerResourceName(name: string, fldPath: ValidationPath): void {
  checkResourceName(name, fldPath);
  if (!name.includes("/")) {
    if (containerResources.has(name) || isHugePages(name)) return;
    fldPath.invalid(name, "must be a standard resource for containers");
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    fldPath.invalid(name, "doesn't follow extended resource name standard");
  }
}
