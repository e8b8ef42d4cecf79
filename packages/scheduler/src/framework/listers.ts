// What a cycle reads besides nodes and pods. A driver answers from its caches; tests answer from lists. Absent objects are `undefined`.
import type { ReplicaSet, StatefulSet } from "@kubeloop/core/types/apps/v1";
import type { Namespace, ReplicationController, Service } from "@kubeloop/core/types/core/v1";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";

export interface Listers {
  namespace(name: string): Namespace | undefined;
  namespaces(): Iterable<Namespace>;
  services(namespace: string): Iterable<Service>;
  replicationController(namespace: string, name: string): ReplicationController | undefined;
  replicaSet(namespace: string, name: string): ReplicaSet | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
  podDisruptionBudgets(): Iterable<PodDisruptionBudget>;
}

/** Listers of a cluster that has none of these objects. */
export const noListers: Listers = {
  namespace: () => undefined,
  namespaces: () => [],
  services: () => [],
  replicationController: () => undefined,
  replicaSet: () => undefined,
  statefulSet: () => undefined,
  podDisruptionBudgets: () => [],
};
