// Which resources a quota may bound, and which of them belong to pods or to claims.

import { checkResourceName, isHugePages } from "../shared/resource-names.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

const ofPods = new Set(["pods", "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);
const ofClaims = new Set(["persistentvolumeclaims", "requests.storage"]);
const others = new Set([
  "ephemeral-storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
]);

/** Without a domain, and known. */
export function isStandardQuotaResource(name: string): boolean {
  if (ofPods.has(name) || ofClaims.has(name) || others.has(name)) return true;
  return isHugePages(name) || name.startsWith("requests.hugepages-");
}

export const isPodResource = (name: string): boolean => ofPods.has(name);
export const isClaimResource = (name: string): boolean => ofClaims.has(name);

export function checkQuotaResourceName(name: string, fldPath: ValidationPath): void {
  checkResourceName(name, fldPath);
  if (name.includes("/") || isStandardQuotaResource(name)) return;
  fldPath.invalid(name, "must be a standard resource for quota");
}
