// What the replicationcontroller controller looks at for one key: what the replicaset controller does, for a ReplicationController.
import { controllerOf } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { replicationControllers } from "@kubeloop/core/resources";
import type { Observed } from "../../apps/replicaset/observe.ts";
import {
  childrenOf,
  orphansFor,
  podsByController,
  replicationControllersByController,
} from "../../domain/by-controller.ts";
import { toReplicaSet } from "./convert.ts";

/** Undefined when there is no such ReplicationController (any more). */
export function observe(key: string, { snapshot }: View): Observed | undefined {
  const controller = snapshot.get(replicationControllers, key);
  if (controller === undefined) return undefined;
  const set = toReplicaSet(controller);
  return {
    set,
    owned: childrenOf(snapshot, podsByController, controller),
    orphans: orphansFor(snapshot, podsByController, controller, set.spec?.selector),
    relatedPods: () => {
      const owner = controllerOf(controller);
      if (owner === undefined) return [];
      const related = snapshot.byIndex(replicationControllersByController, owner.uid);
      return related.flatMap((each) => childrenOf(snapshot, podsByController, each));
    },
  };
}
