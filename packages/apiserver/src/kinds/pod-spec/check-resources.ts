// What containers and pods request and are limited to: names, amounts, and claims on devices.
import { canonicalQuantity, compareQuantities, type corev1, printQuantity } from "@kubeloop/core/api";
import { checkDnsLabel, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { own } from "../shared/own.ts";
import { checkResourceQuantity, isWholePages, type ResourceList } from "../shared/quantities.ts";
import {
  checkContainerResourceName,
  checkResourceName,
  isHugePages,
  isOvercommitAllowed,
  isPodLevelResource,
} from "../shared/resource-names.ts";
import { sumContainers } from "./container-sums.ts";
import type { PodSpecOptions } from "./options.ts";

export interface ResourceOptions extends Pick<PodSpecOptions, "allowsPartialHugePages"> {
  /** What the pod claims, by name. */
  readonly claimNames: ReadonlySet<string>;
}

type NameRule = (name: string, place: FaultPlace) => void;

export function checkContainerResources(
  resources: corev1.ResourceRequirements | undefined,
  place: FaultPlace,
  options: ResourceOptions,
): void {
  if (resources !== undefined) checkRequirements(resources, place, checkContainerResourceName, options);
}

function checkRequirements(
  { limits = {}, requests = {}, claims = [] }: corev1.ResourceRequirements,
  place: FaultPlace,
  checkName: NameRule,
  options: ResourceOptions,
): void {
  const limitsPlace = place.at("limits");
  const requestsPlace = place.at("requests");
  for (const [name, limit] of entriesOf(limits)) {
    checkAmount(name, limit, checkName, limitsPlace.item(name), options);
  }
  for (const [name, request] of entriesOf(requests)) {
    checkAmount(name, request, checkName, requestsPlace.item(name), options);
    checkAgainstLimit(name, request, own(limits, name), { limitsPlace, requestsPlace });
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory")) {
    place.forbidden("HugePages require cpu or memory");
  }
  checkClaimReferences(claims, place.at("claims"), options);
}

/** Sorted by name: Go has no order, a reader wants one. */
const entriesOf = (list: ResourceList) => Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1));

function checkAmount(
  name: string,
  amount: string,
  checkName: NameRule,
  place: FaultPlace,
  { allowsPartialHugePages }: ResourceOptions,
): void {
  checkName(name, place);
  checkResourceQuantity(name, amount, place);
  if (isHugePages(name) && !allowsPartialHugePages && !isWholePages(name, amount)) {
    const printed = canonicalQuantity(amount);
    place.invalid(printed, `${printed} is not positive integer multiple of ${name}`);
  }
}

function checkAgainstLimit(
  name: string,
  request: string,
  limit: string | undefined,
  { limitsPlace, requestsPlace }: { readonly limitsPlace: FaultPlace; readonly requestsPlace: FaultPlace },
): void {
  const isFixed = !isOvercommitAllowed(name);
  if (limit === undefined) {
    if (isFixed) limitsPlace.required("Limit must be set for non overcommitable resources");
    return;
  }
  const difference = compareQuantities(request, limit);
  const rule = isFixed && difference !== 0 ? "equal to" : difference > 0 ? "less than or equal to" : undefined;
  if (rule === undefined) return;
  const why = `must be ${rule} ${name} limit of ${canonicalQuantity(limit)}`;
  requestsPlace.invalid(canonicalQuantity(request), why);
}

function checkClaimReferences(
  claims: readonly corev1.ResourceClaim[],
  place: FaultPlace,
  { claimNames }: ResourceOptions,
): void {
  const seen: SeenClaims = { keys: new Set(), requested: new Map() };
  for (const [i, { name, request }] of claims.entries()) {
    const claimPlace = place.item(i);
    if (isAbsent(name)) {
      claimPlace.required();
      continue;
    }
    checkUniqueClaim(name, claimPlace, { request, seen });
    if (claimNames.has(name)) continue;
    const known = claimNames.size === 0 ? " which is empty" : `: ${[...claimNames].toSorted().join(", ")}`;
    claimPlace.notFound(name, `must be one of the names in pod.spec.resourceClaims${known}`);
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
  place: FaultPlace,
  { request, seen }: { readonly request: string | undefined; readonly seen: SeenClaims },
): void {
  if (seen.keys.has(name)) {
    place.duplicate(name);
    return;
  }
  if (isAbsent(request)) {
    for (let i = seen.requested.get(name) ?? 0; i > 0; i--) place.duplicate(name);
    seen.keys.add(name);
    return;
  }
  checkDnsLabel(request, place.at("request"));
  const key = `${name}/${request}`;
  if (seen.keys.has(key)) place.duplicate(key);
  else seen.requested.set(name, (seen.requested.get(name) ?? 0) + 1);
  seen.keys.add(key);
}

/** Resources of the pod as a whole, and whether its containers fit in. */
export function checkPodResources(spec: corev1.PodSpec, place: FaultPlace, options: ResourceOptions): void {
  const { resources } = spec;
  if (resources === undefined) return;
  if (spec.os?.name === "windows") {
    place.forbidden("may not be set for a windows pod");
    return;
  }
  if (resources.claims !== undefined) {
    const why = "claims may not be set for Resources at pod-level";
    place.at("claims").forbidden(why);
  }
  checkRequirements(resources, place, checkPodResourceName, options);
  checkSums(spec, place, resources);
}

const podLevelResources = ["cpu", "hugepages-", "memory"];

const checkPodResourceName: NameRule = (name, place) => {
  const before = place.faultCount;
  checkResourceName(name, place);
  if (place.faultCount === before && !isPodLevelResource(name)) place.notSupported(name, podLevelResources);
};

function checkSums(spec: corev1.PodSpec, place: FaultPlace, resources: corev1.ResourceRequirements): void {
  const { requests = {}, limits = {} } = resources;
  const sums = sumContainers(spec);
  for (const [name, sum] of sums.requests) {
    const request = own(requests, name);
    if (request === undefined || compareQuantities(sum, request) <= 0) continue;
    const why = `must be greater than or equal to aggregate container requests of ${printQuantity(sum)}`;
    place.at("requests").item(name).invalid(canonicalQuantity(request), why);
  }
  for (const [name, sum] of sums.limits) {
    const limit = own(limits, name);
    if (!isHugePages(name) || limit === undefined || compareQuantities(sum, limit) <= 0) continue;
    const why = `must be greater than or equal to aggregate container limits of ${printQuantity(sum)}`;
    place.at("limits").item(name).invalid(canonicalQuantity(limit), why);
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of entriesOf(container.resources?.limits ?? {})) {
      const most = own(limits, name);
      if (most === undefined || compareQuantities(limit, most) <= 0) continue;
      const limitPlace = place.at("containers").item(i).item(name).at("limits");
      const why = `must be less than or equal to pod limits of ${canonicalQuantity(most)}`;
      limitPlace.invalid(canonicalQuantity(limit), why);
    }
  }
}
