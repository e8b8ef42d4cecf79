// What node-lifecycle looks at: in a pass every node with its lease and what is remembered of it; else one node, one zone or one pod.
import type { corev1 } from "@kubeloop/core/api";
import { type Change, mapped, type Snapshot, type View, type Watch } from "@kubeloop/core/contract";
import { leases, nodes, pods } from "@kubeloop/core/resources";
import { podsByNode } from "../../domain/pods-by-node.ts";
import { type Health, healthAfter } from "./health.ts";
import type { Limiter, NodeMemory } from "./model.ts";
import { readyStatusOf } from "./taints.ts";
import type { ZoneState } from "./zones.ts";

/** Where kubelets renew their leases, each under the name of its node. */
export const leaseNamespace = "kube-node-lease";

export interface SeenNode {
  readonly node: corev1.Node;
  readonly health: Health;
  readonly isNew: boolean;
}

export interface Pass {
  readonly startedAtMs: number;
  readonly all: readonly SeenNode[];
  /** Nodes of the last pass that are gone, as they were then. */
  readonly gone: readonly corev1.Node[];
  /** As the last pass left them. */
  readonly zones: ReadonlyMap<string, ZoneState>;
}

export function observePass(_key: string, { snapshot, model, nowMs }: View<NodeMemory>): Pass {
  const all = snapshot.list(nodes).map((node): SeenNode => {
    const { name = "" } = node.metadata;
    const lease = snapshot.get(leases, `${leaseNamespace}/${name}`);
    const health = healthAfter(model.health.get(name), { node, lease, nowMs });
    return { node, health, isNew: !model.known.has(name) };
  });
  const gone = [...model.known].flatMap(([name, node]) => (snapshot.get(nodes, name) === undefined ? [node] : []));
  const zones = new Map([...model.zones].map(([name, { state }]) => [name, state]));
  return { startedAtMs: nowMs, all, gone, zones };
}

/** Undefined when there is no such node (any more). */
export function observeNode(name: string, { snapshot }: View<NodeMemory>): corev1.Node | undefined {
  return snapshot.get(nodes, name);
}

export interface SeenZone {
  readonly zone: string;
  readonly limiter: Limiter;
  /** Names that wait, and their nodes if they are there. */
  readonly waiting: readonly (readonly [name: string, node: corev1.Node | undefined])[];
}

/** Undefined when nothing waits. */
export function observeZone(zone: string, { snapshot, model }: View<NodeMemory>): SeenZone | undefined {
  const { limiter, waiting } = model.zones.get(zone) ?? {};
  if (limiter === undefined || waiting === undefined || waiting.size === 0) return undefined;
  return { zone, limiter, waiting: [...waiting].map((name) => [name, snapshot.get(nodes, name)] as const) };
}

export interface SeenPod {
  readonly pod: corev1.Pod;
  readonly node: corev1.Node;
}

/** Undefined when there is no such pod, or no node that it is on. */
export function observePod(key: string, { snapshot }: View<NodeMemory>): SeenPod | undefined {
  const pod = snapshot.get(pods, key);
  const node = pod?.spec?.nodeName ? snapshot.get(nodes, pod.spec.nodeName) : undefined;
  return pod === undefined || node === undefined ? undefined : { pod, node };
}

/**
 * Which pods are looked at: those that come to a node that is not ready; those of a node that becomes unknown; and at the start those of unknown nodes, because
 * whoever found the node unknown may have ended before its pods were marked. A kubelet that reports its node as not ready itself also takes
 * care of the node's pods.
 */
export function podWatches(queue: string): readonly Watch[] {
  return [
    mapped(pods, keysOfPod, { queue }),
    mapped(nodes, keysOfNode, { queue, when: (change) => change.type === "update" && becomesUnknown(change) }),
  ];
}

function keysOfPod(pod: corev1.Pod, snapshot: Snapshot, change: Change<corev1.Pod>): readonly string[] {
  const nodeName = pod.spec?.nodeName ?? "";
  if (nodeName === "" || change.type === "delete") return [];
  if (change.type === "update") return isOnSameNode(change) ? [] : [keyOfPod(pod)];
  const status = readyStatusOfNode(snapshot, nodeName);
  const isConcerned = change.isInitial ? status === "Unknown" : status !== "True";
  return isConcerned ? [keyOfPod(pod)] : [];
}

function readyStatusOfNode(snapshot: Snapshot, name: string): string | undefined {
  const node = snapshot.get(nodes, name);
  return node && readyStatusOf(node);
}

/** After a gap of the watch, a pod that was made anew under its name comes as an update. */
const isOnSameNode = ({ before, object }: Extract<Change<corev1.Pod>, { readonly type: "update" }>) =>
  before.metadata.uid === object.metadata.uid && before.spec?.nodeName === object.spec?.nodeName;

const keysOfNode = ({ metadata: { name = "" } }: corev1.Node, snapshot: Snapshot): readonly string[] =>
  snapshot.byIndex(podsByNode, name).map(keyOfPod);

const becomesUnknown = ({ before, object }: Extract<Change<corev1.Node>, { readonly type: "update" }>) =>
  readyStatusOf(before) === "True" && readyStatusOf(object) === "Unknown";

const keyOfPod = ({ metadata: { namespace = "", name = "" } }: corev1.Pod) => `${namespace}/${name}`;
