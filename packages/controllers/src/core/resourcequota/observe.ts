// What the resourcequota controller looks at for one key: the quota, and the objects of its namespace that it may count.
import { type corev1, type KubernetesObject, keyOf, objectKeyOf, type resourcev1 } from "@kubeloop/core/api";
import type { Snapshot, View } from "@kubeloop/core/contract";
import { pods, resourceClaims, resourceQuotas } from "@kubeloop/core/resources";
import { type DeviceClasses, isClaimOfPod, podOfExtendedClaim, type QuotaEvaluator } from "@kubeloop/core/rules";
import { countableResources, deviceClassesFor } from "./countable.ts";

export interface Observed {
  readonly quota: corev1.ResourceQuota;
  readonly counted: readonly CountedObjects[];
  /** Undefined where devices do not count as extended resources. */
  readonly deviceClasses: DeviceClasses | undefined;
  /** The pods for whose extended resources claims were made, by the key of the claim. */
  readonly podsByClaim: ReadonlyMap<string, corev1.Pod>;
}

/** All objects of one resource in the namespace. */
export interface CountedObjects {
  readonly evaluator: QuotaEvaluator;
  /** Which of the quota's resource names they use. */
  readonly names: readonly string[];
  readonly objects: readonly KubernetesObject[];
}

export interface ObserveOptions {
  /** Whether devices count as extended resources, too. */
  readonly withExtendedResources: boolean;
}

/** Undefined when there is no such quota (any more). */
export const newObserve =
  ({ withExtendedResources }: ObserveOptions) =>
  (key: string, { snapshot }: View): Observed | undefined => {
    const quota = snapshot.get(resourceQuotas, key);
    const { served } = snapshot;
    if (quota === undefined || served === undefined) return undefined;
    const { namespace = "" } = quota.metadata;
    const limited = Object.keys(quota.spec?.hard ?? {});
    const classes = withExtendedResources ? deviceClassesFor(limited, snapshot) : undefined;
    const counted = [...countableResources(served).values()].flatMap(({ resource, evaluator }) => {
      const names = evaluator.matchingResources(limited, { deviceClasses: classes });
      return names.length === 0
        ? []
        : [{ resource, evaluator, names, objects: snapshot.list(resource, { namespace }) }];
    });
    const claims = counted.find(({ resource }) => resource === resourceClaims)?.objects ?? [];
    const podsByClaim =
      classes === undefined ? none : findPods(claims as readonly resourcev1.ResourceClaim[], snapshot);
    return { quota, counted, deviceClasses: classes, podsByClaim };
  };

const none: ReadonlyMap<string, corev1.Pod> = new Map();

function findPods(claims: readonly resourcev1.ResourceClaim[], snapshot: Snapshot): ReadonlyMap<string, corev1.Pod> {
  const owned = new Map<string, resourcev1.ResourceClaim[]>();
  for (const claim of claims) {
    const { uid } = podOfExtendedClaim(claim) ?? {};
    if (uid !== undefined) owned.set(uid, [...(owned.get(uid) ?? []), claim]);
  }
  const found = new Map<string, corev1.Pod>();
  for (const [uid, ofPod] of owned) {
    for (const claim of ofPod) {
      const { name = "" } = podOfExtendedClaim(claim) ?? {};
      const pod = snapshot.get(pods, objectKeyOf(claim.metadata.namespace ?? "", name));
      if (pod?.metadata.uid === uid && isClaimOfPod(claim, pod, ofPod)) found.set(keyOf(claim), pod);
    }
  }
  return found;
}
