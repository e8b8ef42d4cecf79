// What the deployment controller looks at for one key: the deployment, its ReplicaSets, the ReplicaSets it may adopt, and their pods.
import { type appsv1, type corev1, objectKeyOf } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { deployments, replicaSets } from "@kubeloop/core/resources";
import { childrenOf, orphansFor, podsByController, replicaSetsByController } from "../../domain/by-controller.ts";

export interface Observed {
  readonly deployment: appsv1.Deployment;
  /** Sets that the deployment controls, whether or not its selector matches them. */
  readonly owned: readonly appsv1.ReplicaSet[];
  /** Sets of the namespace that nobody controls, all that the deployment's selector matches among them. */
  readonly orphans: readonly appsv1.ReplicaSet[];
  /** The pods that a set controls, in every phase. Only the strategy Recreate needs them. */
  readonly podsOf: (set: appsv1.ReplicaSet) => readonly corev1.Pod[];
  /** The set of this name, whoever controls it. Only a create that finds its name taken needs it. */
  readonly setNamed: (name: string) => appsv1.ReplicaSet | undefined;
}

/** Undefined when there is no such deployment (any more). */
export function observe(key: string, { snapshot }: View): Observed | undefined {
  const deployment = snapshot.get(deployments, key);
  if (deployment === undefined) return undefined;
  return {
    deployment,
    owned: childrenOf(snapshot, replicaSetsByController, deployment),
    orphans: orphansFor(snapshot, replicaSetsByController, deployment, deployment.spec?.selector),
    podsOf: (set) => childrenOf(snapshot, podsByController, set),
    setNamed: (name) => snapshot.get(replicaSets, objectKeyOf(deployment.metadata.namespace ?? "", name)),
  };
}
