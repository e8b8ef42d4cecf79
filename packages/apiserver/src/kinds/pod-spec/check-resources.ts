// What containers and pods request and are limited to: names, amounts, and claims on devices.
import { canonicalQuantity, compareQuantities, type corev1, printQuantity } from "@kubeloop/core/api";
import { checkDnsLabel, isAbsent } from "../shared/checks.ts";
import { own } from "../shared/own.ts";
import { checkResourceQuantity, isWholePages, type ResourceList } from "../shared/quantities.ts";
import {
  checkContainerResourceName,
  checkResourceName,
  isHugePages,
  isOvercommitAllowed,
  isPodLevelResource,
} from "../shared/resource-names.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { sumContainers } from "./container-sums.ts";
import type { PodSpecOptions } from "./options.ts";

export interface ResourceOptions extends Pick<PodSpecOptions, "allowsPartialHugePages"> {
  /** What the pod claims, by name. */
  readonly claimNames: ReadonlySet<string>;
}

type NameRule = (name: string, fldPath: ValidationPath) => void;

export function checkContainerResources(
  resources: corev1.ResourceRequirements | undefined,
  fldPath: ValidationPath,
  options: ResourceOptions,
): void {
  if (resources !== undefined) checkRequirements(resources, fldPath, checkContainerResourceName, options);
}

function checkRequirements(
  { limits = {}, requests = {}, claims = [] }: corev1.ResourceRequirements,
  fldPath: ValidationPath,
  checkName: NameRule,
  options: ResourceOptions,
): void {
  const limitsPath = fldPath.at("limits");
  const requestsPath = fldPath.at("requests");
  for (const [name, limit] of entriesOf(limits)) {
    checkAmount(name, limit, checkName, limitsPath.item(name), options);
  }
  for (const [name, request] of entriesOf(requests)) {
    checkAmount(name, request, checkName, requestsPath.item(name), options);
    checkAgainstLimit(name, request, own(limits, name), { limitsPath, requestsPath });
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory")) {
    fldPath.forbidden("HugePages require cpu or memory");
  }
  checkClaimReferences(claims, fldPath.at("claims"), options);
}

/** Sorted by name: Go has no order, a reader wants one. */
const entriesOf = (list: ResourceList) => Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1));

function checkAmount(
  name: string,
  amount: string,
  checkName: NameRule,
  fldPath: ValidationPath,
  { allowsPartialHugePages }: ResourceOptions,
): void {
  checkName(name, fldPath);
  checkResourceQuantity(name, amount, fldPath);
  if (isHugePages(name) && !allowsPartialHugePages && !isWholePages(name, amount)) {
    const printed = canonicalQuantity(amount);
    fldPath.invalid(printed, `${printed} is not positive integer multiple of ${name}`);
  }
}

function checkAgainstLimit(
  name: string,
  request: string,
  limit: string | undefined,
  { limitsPath, requestsPath }: { readonly limitsPath: ValidationPath; readonly requestsPath: ValidationPath },
): void {
  const isFixed = !isOvercommitAllowed(name);
  if (limit === undefined) {
    if (isFixed) limitsPath.required("Limit must be set for non overcommitable resources");
    return;
  }
  const difference = compareQuantities(request, limit);
  const rule = isFixed && difference !== 0 ? "equal to" : difference > 0 ? "less than or equal to" : undefined;
  if (rule === undefined) return;
  const why = `must be ${rule} ${name} limit of ${canonicalQuantity(limit)}`;
  requestsPath.invalid(canonicalQuantity(request), why);
}

function checkClaimReferences(
  claims: readonly corev1.ResourceClaim[],
  fldPath: ValidationPath,
  { claimNames }: ResourceOptions,
): void {
  const seen: SeenClaims = { keys: new Set(), requested: new Map() };
  for (const [i, { name, request }] of claims.entries()) {
    const claimPath = fldPath.item(i);
    if (isAbsent(name)) {
      claimPath.required();
      continue;
    }
    checkUniqueClaim(name, claimPath, { request, seen });
    if (claimNames.has(name)) continue;
    const known = claimNames.size === 0 ? " which is empty" : `: ${[...claimNames].toSorted().join(", ")}`;
    claimPath.notFound(name, `must be one of the names in pod.spec.resourceClaims${known}`);
  }
}

interface SeenClaims {
  /** "claim" or "claim/request". */
  readonly keys: Set<string>;
  /** How many requests of a claim are referred to. */
  readonly requested: Map<string, number>;
}

/** A claim, or one request of it, is referred to once; the whole claim includes its requests. */
function checkUniqueClaim(
  name: string,
  fldPath: ValidationPath,
  { request, seen }: { readonly request: string | undefined; readonly seen: SeenClaims },
): void {
  if (seen.keys.has(name)) {
    fldPath.duplicate(name);
    return;
  }
  if (isAbsent(request)) {
    for (let i = seen.requested.get(name) ?? 0; i > 0; i--) fldPath.duplicate(name);
    seen.keys.add(name);
    return;
  }
  checkDnsLabel(request, fldPath.at("request"));
  const key = `${name}/${request}`;
  if (seen.keys.has(key)) fldPath.duplicate(key);
  else seen.requested.set(name, (seen.requested.get(name) ?? 0) + 1);
  seen.keys.add(key);
}

/** Resources of the pod as a whole, and whether its containers fit in. */
export function checkPodResources(spec: corev1.PodSpec, fldPath: ValidationPath, options: ResourceOptions): void {
  const { resources } = spec;
  if (resources === undefined) return;
  if (spec.os?.name === "windows") {
    fldPath.forbidden("may not be set for a windows pod");
    return;
  }
  if (resources.claims !== undefined) {
    const why = "claims may not be set for Resources at pod-level";
    fldPath.at("claims").forbidden(why);
  }
  checkRequirements(resources, fldPath, checkPodResourceName, options);
  checkSums(spec, fldPath, resources);
}

const podLevelResources = ["cpu", "hugepages-", "memory"];

const checkPodResourceName: NameRule = (name, fldPath) => {
  const before = fldPath.faultCount;
  checkResourceName(name, fldPath);
  if (fldPath.faultCount === before && !isPodLevelResource(name)) fldPath.notSupported(name, podLevelResources);
};

function checkSums(spec: corev1.PodSpec, fldPath: ValidationPath, resources: corev1.ResourceRequirements): void {
  const { requests = {}, limits = {} } = resources;
  const sums = sumContainers(spec);
  for (const [name, sum] of sums.requests) {
    const request = own(requests, name);
    if (request === undefined || compareQuantities(sum, request) <= 0) continue;
    const why = `must be greater than or equal to aggregate container requests of ${printQuantity(sum)}`;
    fldPath.at("requests").item(name).invalid(canonicalQuantity(request), why);
  }
  for (const [name, sum] of sums.limits) {
    const limit = own(limits, name);
    if (!isHugePages(name) || limit === undefined || compareQuantities(sum, limit) <= 0) continue;
    const why = `must be greater than or equal to aggregate container limits of ${printQuantity(sum)}`;
    fldPath.at("limits").item(name).invalid(canonicalQuantity(limit), why);
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of entriesOf(container.resources?.limits ?? {})) {
      const most = own(limits, name);
      if (most === undefined || compareQuantities(limit, most) <= 0) continue;
      const limitPath = fldPath.at("containers").item(i).item(name).at("limits");
      const why = `must be less than or equal to pod limits of ${canonicalQuantity(most)}`;
      limitPath.invalid(canonicalQuantity(limit), why);
    }
  }
}
