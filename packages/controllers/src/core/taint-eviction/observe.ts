// What taint-eviction looks at for one pod: the pod, the NoExecute taints of its node, and when it is to be evicted.
import { type corev1, semanticEqual } from "@kubeloop/core/api";
import { type Change, itself, mapped, type Snapshot, type View, type Watch } from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import { podsByNode } from "../../domain/pods-by-node.ts";
import type { Eviction, Evictions } from "./model.ts";

export interface Observed {
  readonly key: string;
  /** Undefined when it is gone. */
  readonly pod: corev1.Pod | undefined;
  /** Undefined when its node is not there: what was decided before holds. */
  readonly taints: readonly corev1.Taint[] | undefined;
  readonly eviction: Eviction | undefined;
}

/** Undefined when there is no such pod, or it has no node, and nothing is to be cancelled. */
export function observe(key: string, { snapshot, model }: View<Evictions>): Observed | undefined {
  const pod = snapshot.get(pods, key);
  const eviction = model.byPod.get(key);
  const nodeName = pod?.spec?.nodeName ?? "";
  if (nodeName === "" && eviction === undefined) return undefined;
  const node = nodeName === "" ? undefined : snapshot.get(nodes, nodeName);
  return { key, pod, taints: node && noExecuteTaints(node), eviction };
}

/** The keys of a node's pods. */
export function observeNode(name: string, { snapshot }: View<Evictions>): readonly string[] {
  return snapshot
    .byIndex(podsByNode, name)
    .map(({ metadata: { namespace = "", name: pod = "" } }) => `${namespace}/${pod}`);
}

/**
 * Pods that come to a tainted node, leave it, move or tolerate something else; nodes whose NoExecute taints change, which wake their pods in
 * turn.
 */
export const watches: readonly Watch[] = [
  itself(pods, { when: concernsTaints }),
  mapped(nodes, ({ metadata: { name = "" } }) => [{ queue: "nodes", key: name }], { when: isOtherTaint }),
];

function concernsTaints(change: Change<corev1.Pod>, snapshot: Snapshot): boolean {
  if (change.type !== "update") return isOnTaintedNode(change.object, snapshot);
  // After a gap of the watch, a pod that was made anew under its name comes as an update.
  if (change.before.metadata.uid !== change.object.metadata.uid) return true;
  const [before, after] = [change.before.spec, change.object.spec];
  return before?.nodeName !== after?.nodeName || !semanticEqual(before?.tolerations ?? [], after?.tolerations ?? []);
}

/** Also if its node is not known: what was decided before holds, and is over with the pod. Most pods are on nodes without taints. */
function isOnTaintedNode({ spec }: corev1.Pod, snapshot: Snapshot): boolean {
  const nodeName = spec?.nodeName ?? "";
  if (nodeName === "") return false;
  const node = snapshot.get(nodes, nodeName);
  return node === undefined || noExecuteTaints(node).length > 0;
}

/** A node that is gone takes no decision back: what is to become of its pods is the pod garbage collector's business. */
function isOtherTaint(change: Change<corev1.Node>): boolean {
  if (change.type === "delete") return false;
  const now = noExecuteTaints(change.object);
  return change.type === "add" ? now.length > 0 : !semanticEqual(noExecuteTaints(change.before), now);
}

const noExecuteTaints = ({ spec }: corev1.Node): readonly corev1.Taint[] =>
  (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
