// A small version of the replica set controller, with only what can fail because of a stale cache: it keeps the exact number of children.
import { pods, replicaSets } from "../../api/generated/resources.ts";
import { type appsv1, controllerOf, type corev1, newControllerReference } from "../../api/index.ts";
import {
  create,
  type DecideContext,
  type Decision,
  defineIndex,
  keyed,
  nothing,
  owned,
  plan,
  removeObject,
  slowStart,
  type View,
  verbs,
} from "../../contract/index.ts";
import { isPodActive } from "../../rules/index.ts";

export interface ReplicaSeen {
  readonly set: appsv1.ReplicaSet;
  readonly children: readonly corev1.Pod[];
}

/** Whether the server generates the names, or the controller uses the lowest free ordinals. */
export type Naming = "generated" | "ordinal";

export const podsByOwner = defineIndex("replica-owner", pods, (pod) => [controllerOf(pod)?.uid ?? ""]);

export function observe(key: string, { snapshot }: View): ReplicaSeen | undefined {
  const set = snapshot.get(replicaSets, key);
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return undefined;
  return { set, children: snapshot.byIndex(podsByOwner, set.metadata.uid ?? "") };
}

export function decideAs(naming: Naming) {
  return ({ set, children }: ReplicaSeen, { nowMs }: Pick<DecideContext, "nowMs">): Decision => {
    const active = children.filter((pod) => isPodActive(pod));
    const missing = (set.spec?.replicas ?? 1) - active.length;
    if (missing === 0) return nothing("in balance");
    if (missing < 0) {
      // The victims depend on the time. So a controller that acts on a stale cache deletes one pod too many, and not by chance the same pod
      // again.
      const first = Math.floor(nowMs / 10) % active.length;
      const victims = [...active.slice(first), ...active.slice(0, first)].slice(missing);
      return plan("scale down", [victims.map((pod) => removeObject(pods, pod, { tolerates: ["NotFound"] }))]);
    }
    const taken = new Set(children.map(nameOf));
    const free = Array.from({ length: missing + taken.size }, (_, i) => `${set.metadata.name}-${i}`).filter(
      (name) => !taken.has(name),
    );
    const creates = Array.from({ length: missing }, (_, i) =>
      create(pods, newChild(set, naming === "generated" ? undefined : free[i])),
    );
    return plan("scale up", slowStart(creates));
  };
}

export function replicaController(naming: Naming) {
  return keyed<ReplicaSeen>({
    name: "replica-controller",
    primary: replicaSets,
    watches: [owned(pods)],
    indexes: [podsByOwner],
    writes: [verbs(pods, "create", "delete")],
    workers: 2,
    observe,
    decide: decideAs(naming),
  });
}

export function newChild(set: appsv1.ReplicaSet, name: string | undefined): corev1.Pod {
  const { namespace = "", name: owner = "" } = set.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      ...(name === undefined ? { generateName: `${owner}-` } : { name }),
      ownerReferences: [newControllerReference(set)],
    },
    spec: { containers: [] },
  };
}

const nameOf = (pod: corev1.Pod) => pod.metadata.name ?? "";
