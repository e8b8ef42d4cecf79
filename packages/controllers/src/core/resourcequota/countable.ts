// Which of the served resources quotas count: what can be created, listed, watched and deleted in a namespace, in its preferred version.
// Which names of a quota are of which resource, and how much an object uses, are rules of core, which an admission plugin can share.
import type { Resource } from "@kubeloop/core/api";
import { preferredResources, type Served, type Snapshot } from "@kubeloop/core/contract";
import { deviceClasses, persistentVolumeClaims, pods, resourceClaims, services } from "@kubeloop/core/resources";
import {
  type DeviceClasses,
  isExtendedQuotaResource,
  type QuotaEvaluator,
  quotaEvaluatorOf,
} from "@kubeloop/core/rules";

export interface CountableResource {
  readonly resource: Resource;
  readonly evaluator: QuotaEvaluator;
  /** Whether the usage of an object depends on more than its being there. */
  readonly needsObjects: boolean;
}

const known = new WeakMap<Served, ReadonlyMap<string, CountableResource>>();

/** By the id of `idOf`. Computed once for each discovery. */
export function countableResources(served: Served): ReadonlyMap<string, CountableResource> {
  const found = known.get(served) ?? new Map(findCountable(served).map((each) => [idOf(each.resource), each]));
  known.set(served, found);
  return found;
}

export const idOf = ({ group, plural }: Pick<Resource, "group" | "plural">) => `${plural}.${group}`;

export function hasDeviceClasses({ resources }: Served): boolean {
  return resources.some((resource) => isSame(resource, deviceClasses));
}

/**
 * Returns the device classes if a quota with these limits needs them: if it limits extended resources, which devices may be. Undefined where
 * devices do not count as extended resources.
 */
export function deviceClassesFor(limited: readonly string[], snapshot: Snapshot): DeviceClasses | undefined {
  const { served } = snapshot;
  if (served === undefined || !hasDeviceClasses(served) || !limited.some(isExtendedQuotaResource)) return undefined;
  return new Map(snapshot.list(deviceClasses).map((each) => [each.metadata.name ?? "", each]));
}

/** Those that are read whole, in the version whose fields the rules know. */
const readWhole: readonly Resource[] = [pods, services, persistentVolumeClaims, resourceClaims];

function findCountable(served: Served): readonly CountableResource[] {
  return preferredResources(served, ["create", "list", "watch", "delete"]).flatMap(
    (preferred): readonly CountableResource[] => {
      const evaluator = quotaEvaluatorOf({ group: preferred.group, resource: preferred.plural });
      if (evaluator === undefined || !preferred.namespaced) return [];
      const whole = readWhole.find((resource) => idOf(resource) === idOf(preferred));
      if (whole === undefined) return [{ resource: preferred, evaluator, needsObjects: false }];
      const isServed = served.resources.some((resource) => isSame(resource, whole));
      return isServed ? [{ resource: whole, evaluator, needsObjects: true }] : [];
    },
  );
}

const isSame = (one: Resource, other: Resource) => idOf(one) === idOf(other) && one.version === other.version;
