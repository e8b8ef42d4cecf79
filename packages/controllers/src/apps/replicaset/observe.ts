// What the replicaset controller looks at for one key: the set, its pods, the pods it may adopt, and the pods of its siblings.
import { type appsv1, controllerOf, type corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { replicaSets } from "@kubeloop/core/resources";
import { childrenOf, orphansFor, podsByController, replicaSetsByController } from "../../domain/by-controller.ts";

export interface Observed {
  readonly set: appsv1.ReplicaSet;
  /** Pods that the set controls, whether or not its selector matches them, in every phase. */
  readonly owned: readonly corev1.Pod[];
  /** Pods of the namespace that nobody controls, all that the set's selector matches among them. */
  readonly orphans: readonly corev1.Pod[];
  /** Pods of all sets with the same controller, this one's among them; none if the set has no controller. Only a scale-down needs them. */
  readonly relatedPods: () => readonly corev1.Pod[];
}

/** Undefined when there is no such set (any more). */
export function observe(key: string, { snapshot }: View): Observed | undefined {
  const set = snapshot.get(replicaSets, key);
  if (set === undefined) return undefined;
  return {
    set,
    owned: childrenOf(snapshot, podsByController, set),
    orphans: orphansFor(snapshot, podsByController, set, set.spec?.selector),
    relatedPods: () => {
      const controller = controllerOf(set);
      if (controller === undefined) return [];
      const related = snapshot.byIndex(replicaSetsByController, controller.uid);
      return related.flatMap((each) => childrenOf(snapshot, podsByController, each));
    },
  };
}
