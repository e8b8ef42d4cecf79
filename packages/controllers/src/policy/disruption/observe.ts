// What the disruption controller looks at for one budget: its pods, and whoever controls these.
import {
  controllerOf,
  type corev1,
  type KubernetesObject,
  type metav1,
  objectKeyOf,
  parseGroupVersion,
  type policyv1,
  type Resource,
} from "@kubeloop/core/api";
import { resourceOfKind, type Snapshot, type View } from "@kubeloop/core/contract";
import {
  deployments,
  podDisruptionBudgets,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kubeloop/core/resources";
import { podsMatching } from "../../domain/by-label.ts";
import { readSelector } from "../../domain/selectors.ts";

export interface Observed {
  readonly budget: policyv1.PodDisruptionBudget;
  /** Those that it selects, or why its selector cannot be read. */
  readonly pods: readonly corev1.Pod[] | Error;
  /** Undefined where the caches have none with this uid, and for kinds that are not cached. */
  readonly findScaled: (controller: metav1.OwnerReference) => Scaled | undefined;
  /** Undefined where the kind is not served. */
  readonly resourceOf: (controller: metav1.OwnerReference) => Resource | undefined;
}

/** The uid of a controller, and how many pods it wants. */
export interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

export function observe(key: string, { snapshot }: View): Observed | undefined {
  const budget = snapshot.get(podDisruptionBudgets, key);
  if (budget === undefined) return undefined;
  const { namespace = "" } = budget.metadata;
  const { served } = snapshot;
  const selector = readSelector(budget.spec?.selector);
  return {
    budget,
    pods: selector instanceof Error ? selector : podsMatching(snapshot, namespace, budget.spec?.selector),
    findScaled: (controller) => findScaled(controller, namespace, snapshot),
    resourceOf: (controller) => (served === undefined ? undefined : resourceOfKind(served, controller)),
  };
}

function findScaled(controller: metav1.OwnerReference, namespace: string, snapshot: Snapshot): Scaled | undefined {
  const find = <T extends Replicated>(resource: Resource<T>, by: metav1.OwnerReference): T | undefined => {
    const found = snapshot.get(resource, objectKeyOf(namespace, by.name));
    return found?.metadata.uid === by.uid ? found : undefined;
  };
  if (isOf(controller, "ReplicationController", [""])) return toScaled(find(replicationControllers, controller));
  if (isOf(controller, "StatefulSet", ["apps"])) return toScaled(find(statefulSets, controller));
  if (!isOf(controller, "ReplicaSet", ["apps", "extensions"])) return undefined;
  const set = find(replicaSets, controller);
  const owner = set && controllerOf(set);
  // A set of a Deployment may be the old one or the new one of a rollout: only the Deployment knows how many pods there should be.
  if (owner?.kind !== "Deployment") return toScaled(set);
  return isOf(owner, "Deployment", ["apps", "extensions"]) ? toScaled(find(deployments, owner)) : undefined;
}

interface Replicated extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
}

function toScaled(found: Replicated | undefined): Scaled | undefined {
  return found && { uid: found.metadata.uid ?? "", replicas: found.spec?.replicas ?? 1 };
}

const isOf = ({ kind, apiVersion }: metav1.OwnerReference, expected: string, groups: readonly string[]) =>
  kind === expected && groups.includes(parseGroupVersion(apiVersion).group);
