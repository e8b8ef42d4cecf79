// What ResourceQuotas count of a resource: which of a quota's resource names it has a part in, which scopes its objects match, how much one
// object uses, and which writes change that. The resourcequota controller sums the usage of all objects with it; the admission plugin ResourceQuota
// of the embedded server charges one write with it. Pods, services, PersistentVolumeClaims and ResourceClaims
// have rules of their own; objects of every other resource are counted.
import type {
  PersistentVolumeClaim,
  Pod,
  ScopedResourceSelectorRequirement,
  Service,
} from "../api/generated/types/core/v1.ts";
import type { ResourceClaim } from "../api/generated/types/resource/v1.ts";
import type { GroupResource } from "../api/group-version.ts";
import { SelectorError } from "../api/label-selector.ts";
import { quantityOf, zeroQuantity } from "../api/quantity.ts";
import type { KubernetesObject } from "../api/resource.ts";
import { deepEqual } from "../base/deep.ts";
import { type DeviceClasses, deviceClaimUsage, deviceQuotaResources } from "./quota-devices.ts";
import { hasDeadline, matchesClaimQuotaScope, matchesQuotaScope, volumeAttributesClassesOf } from "./quota-scopes.ts";
import {
  claimUsage,
  countResourceName,
  findMissingResources,
  isPodCharged,
  podQuotaResources,
  podUsage,
  serviceUsage,
} from "./quota-usage.ts";
import { addAmounts, equalAmounts, type ResourceAmounts } from "./resource-amounts.ts";

/** What usage depends on beside the object. */
export interface QuotaContext {
  readonly nowMs: number;
  /** Whether pod-level resources count: feature gate PodLevelResources. Default: true. */
  readonly withPodLevel?: boolean | undefined;
  /** Whether devices of ResourceClaims count as extended resources, too: feature gate DRAExtendedResource. They do if it is given. */
  readonly deviceClasses?: DeviceClasses | undefined;
  /** Returns the pod for whose extended resources a claim was made, if there is one and it is charged for them. */
  readonly podOfClaim?: ((claim: ResourceClaim) => Pod | undefined) | undefined;
}

/** A write as admission sees it. */
export type QuotaWrite<T> =
  | { readonly operation: "create"; readonly subresource: string; readonly object: T }
  | { readonly operation: "update"; readonly subresource: string; readonly before: T; readonly object: T };

export interface QuotaEvaluator<T = KubernetesObject> {
  readonly resource: GroupResource;
  /** Returns those of a quota's resource names that objects of this resource use. */
  matchingResources(names: readonly string[], context?: Pick<QuotaContext, "deviceClasses">): readonly string[];
  /** Throws a SelectorError for a scope selector that the API server would have rejected. */
  matchesScope(scope: ScopedResourceSelectorRequirement, object: T): boolean;
  usageOf(object: T, context: QuotaContext): ResourceAmounts;
  /** Whether an update may have changed the usage in a way that admission has not charged, so that quotas are to be computed anew. */
  isReplenishedBy(before: T, after: T, context: QuotaContext): boolean;
  /** Whether admission charges a write. */
  handles(write: QuotaWrite<T>): boolean;
  /** Returns the message if the object lacks what a quota on these resources requires of it; undefined if it is complete. */
  findMissing(object: T, names: readonly string[]): string | undefined;
}

type OwnRules<T> = Pick<QuotaEvaluator<T>, "matchingResources" | "usageOf" | "handles"> & Partial<QuotaEvaluator<T>>;

/** Returns the evaluator of a resource; undefined for what quotas never count, such as events. */
export function quotaEvaluatorOf(resource: GroupResource): QuotaEvaluator | undefined {
  const id = idOf(resource);
  if (uncounted.has(id)) return undefined;
  return ownEvaluators.get(id) ?? newObjectCounter(resource);
}

/** Whether all scopes match. Objects that have no scopes match none, so a quota with scopes does not count them. */
export function matchesAllScopes<T>(
  evaluator: QuotaEvaluator<T>,
  scopes: readonly ScopedResourceSelectorRequirement[],
  object: T,
): boolean {
  return scopes.every((scope) => evaluator.matchesScope(scope, object));
}

/**
 * Sums the usage of the objects that match the scopes, object by object: yields after each. Resources that nothing uses are zero, and so are
 * all if a scope selector cannot be read.
 */
export function* sumQuotaUsage(
  evaluator: QuotaEvaluator,
  objects: Iterable<KubernetesObject>,
  { names, scopes, ...context }: QuotaContext & QuotaTerms,
): Generator<undefined, ResourceAmounts, undefined> {
  const none: ResourceAmounts = new Map(names.map((name) => [name, zeroQuantity]));
  let total = none;
  try {
    for (const object of objects) {
      if (matchesAllScopes(evaluator, scopes, object)) total = addAmounts(total, evaluator.usageOf(object, context));
      yield;
    }
  } catch (error) {
    if (error instanceof SelectorError) return none;
    throw error;
  }
  return total;
}

export interface QuotaTerms {
  /** The resource names of the quota that the evaluator matches. */
  readonly names: readonly string[];
  readonly scopes: readonly ScopedResourceSelectorRequirement[];
}

const idOf = ({ group, resource }: GroupResource) => `${group}/${resource}`;

/** What is not stored, and events, which are too many. */
const uncounted: ReadonlySet<string> = new Set([
  "/bindings",
  "/componentstatuses",
  "authentication.k8s.io/tokenreviews",
  "authentication.k8s.io/selfsubjectreviews",
  "authorization.k8s.io/subjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "/events",
  "events.k8s.io/events",
]);

/** These were counted by their plain names before there were names for all resources. */
const plainNames: ReadonlySet<string> = new Set([
  "/configmaps",
  "/resourcequotas",
  "/replicationcontrollers",
  "/secrets",
]);

function newObjectCounter(resource: GroupResource): QuotaEvaluator {
  const names = [countResourceName(resource), ...(plainNames.has(idOf(resource)) ? [resource.resource] : [])];
  const usage: ResourceAmounts = new Map(names.map((name) => [name, quantityOf(1)]));
  return newEvaluator(resource, {
    matchingResources: (asked) => names.filter((name) => asked.includes(name)),
    usageOf: () => usage,
    handles: ({ operation, subresource }) => operation === "create" && subresource === "",
  });
}

function newEvaluator<T>(resource: GroupResource, rules: OwnRules<T>): QuotaEvaluator<T> {
  const none = { matchesScope: () => false, isReplenishedBy: () => false, findMissing: () => undefined };
  return { resource, ...none, ...rules };
}

const podEvaluator = newEvaluator<Pod>(
  { group: "", resource: "pods" },
  {
    matchingResources: (names) => podQuotaResources(names),
    matchesScope: matchesQuotaScope,
    usageOf: (pod, { nowMs, withPodLevel }) => podUsage(pod, nowMs, withPodLevel === undefined ? {} : { withPodLevel }),
    isReplenishedBy: (before, after, { nowMs }) =>
      hasResized(before, after) ||
      hasDeadline(before) !== hasDeadline(after) ||
      (isPodCharged(before, nowMs) && !isPodCharged(after, nowMs)),
    handles: (write) => {
      if (write.subresource === "resize") return write.operation === "update";
      if (write.subresource !== "") return false;
      return write.operation === "create" || hasDeadline(write.before) !== hasDeadline(write.object);
    },
    findMissing: findMissingResources,
  },
);

const serviceNames = ["count/services", "services", "services.nodeports", "services.loadbalancers"];

const serviceEvaluator = newEvaluator<Service>(
  { group: "", resource: "services" },
  {
    matchingResources: (names) => names.filter((name) => serviceNames.includes(name)),
    usageOf: (service) => serviceUsage(service),
    isReplenishedBy: (before, after) => chargedType(before) !== chargedType(after),
    handles: ({ subresource }) => subresource === "",
  },
);

const chargedType = ({ spec }: Service) =>
  spec?.type === "NodePort" || spec?.type === "LoadBalancer" ? spec.type : undefined;

const claimNames = ["persistentvolumeclaims", "requests.storage"];

const claimEvaluator = newEvaluator<PersistentVolumeClaim>(
  { group: "", resource: "persistentvolumeclaims" },
  {
    matchingResources: (names) =>
      names.filter(
        (name) =>
          name === "count/persistentvolumeclaims" ||
          claimNames.some((own) => name === own || name.endsWith(`.storageclass.storage.k8s.io/${own}`)),
      ),
    matchesScope: matchesClaimQuotaScope,
    usageOf: (claim) => claimUsage(claim),
    isReplenishedBy: hasClaimChanged,
    handles: (write) => {
      if (write.subresource === "") return true;
      return (
        write.subresource === "status" && write.operation === "update" && hasClaimChanged(write.before, write.object)
      );
    },
  },
);

const deviceClaimEvaluator = newEvaluator<ResourceClaim>(
  { group: "resource.k8s.io", resource: "resourceclaims" },
  {
    matchingResources: (names, { deviceClasses } = {}) => deviceQuotaResources(names, deviceClasses),
    usageOf: (claim, { deviceClasses, podOfClaim, nowMs }) => {
      const pod = deviceClasses === undefined ? undefined : podOfClaim?.(claim);
      return deviceClaimUsage(claim, deviceClasses, pod === undefined ? undefined : podUsage(pod, nowMs));
    },
    handles: ({ subresource }) => subresource === "",
  },
);

const ownEvaluators: ReadonlyMap<string, QuotaEvaluator> = new Map(
  [podEvaluator, serviceEvaluator, claimEvaluator, deviceClaimEvaluator].map((evaluator) => [
    idOf(evaluator.resource),
    // An evaluator is only asked about objects of its resource, which the compiler cannot know.
    evaluator as unknown as QuotaEvaluator,
  ]),
);

/** Whether a node has reported other resources for a container. A container that one of the pods does not report is not compared. */
function hasResized({ status: before }: Pod, { status: after }: Pod): boolean {
  return (["containerStatuses", "initContainerStatuses"] as const).some((field) =>
    before?.[field]?.some(({ name, resources }) => {
      const now = after?.[field]?.find((status) => status.name === name);
      return now !== undefined && !deepEqual(resources, now.resources);
    }),
  );
}

/** Whether a claim uses another amount of storage, or has another VolumeAttributesClass. */
function hasClaimChanged(before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean {
  if (!equalAmounts(claimUsage(before), claimUsage(after))) return true;
  const [one, other] = [volumeAttributesClassesOf(before), volumeAttributesClassesOf(after)];
  return one.size !== other.size || [...one].some((name) => !other.has(name));
}
