// Whether a node takes a pod that was bound to it: room in the allocatable resources, the node's name and labels, host ports, and NoExecute taints, in
// the kubelet's order and words. NoSchedule taints and cordoning are not checked: they are the scheduler's.
import { type corev1, quantityMilliValue, quantityValue, zeroQuantity } from "@kubeloop/core/api";
import {
  addAmounts,
  findUntoleratedTaint,
  matchesNodeAffinity,
  noAmounts,
  podRequests,
  type ResourceAmounts,
  subtractAmounts,
  toAmounts,
} from "@kubeloop/core/rules";
import { ownedConditions } from "../life/pod-status.ts";

export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** What the pods that a node has admitted use together. */
export interface NodeUsage {
  readonly requests: ResourceAmounts;
  readonly pods: number;
  /** "protocol/port" with the host addresses that use it. */
  readonly hostPorts: ReadonlyMap<string, { readonly size: number; has(hostIP: string): boolean }>;
}

export function admitPod(pod: corev1.Pod, node: corev1.Node, usage: NodeUsage): Rejection | undefined {
  return (
    findOtherSystem(pod, node) ??
    findInsufficient(pod, node, usage) ??
    (matchesNodeAffinity(pod, node)
      ? undefined
      : failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")) ??
    (pod.spec?.nodeName === node.metadata.name
      ? undefined
      : failed("NodeName", "node(s) didn't match the requested node name")) ??
    (hasPortConflict(pod, usage)
      ? failed("NodePorts", "node(s) didn't have free ports for the requested pod ports")
      : undefined) ??
    (isTaintedAway(pod, node)
      ? failed("TaintToleration", "node(s) had taints that the pod didn't tolerate")
      : undefined)
  );
}

function findOtherSystem({ spec }: corev1.Pod, node: corev1.Node): Rejection | undefined {
  const selected = spec?.nodeSelector?.[systemLabel];
  if (selected !== undefined && selected !== node.metadata.labels?.[systemLabel]) {
    const message = `Failed to admit pod as the \`${systemLabel}\` label doesn't match node label`;
    return { reason: "PodOSSelectorNodeLabelDoesNotMatch", message };
  }
  if (spec?.os === undefined || spec.os.name === "linux") return undefined;
  return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
}

const systemLabel = "kubernetes.io/os";

function failed(predicate: string, text: string): Rejection {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${text}` };
}

function findInsufficient(pod: corev1.Pod, node: corev1.Node, usage: NodeUsage): Rejection | undefined {
  const allocatable = toAmounts(node.status?.allocatable);
  const countedPods = quantityValue(allocatable.get("pods") ?? zeroQuantity);
  if (usage.pods + 1 > Number(countedPods)) return insufficient("pods", 1n, BigInt(usage.pods), BigInt(countedPods));
  for (const [resource, requested] of podRequests(pod)) {
    const toNumber = resource === "cpu" ? quantityMilliValue : quantityValue;
    const [wanted, used, capacity] = [
      requested,
      usage.requests.get(resource) ?? zeroQuantity,
      allocatable.get(resource) ?? zeroQuantity,
    ].map((quantity) => BigInt(toNumber(quantity))) as [bigint, bigint, bigint];
    if (wanted > 0n && wanted > capacity - used) return insufficient(resource, wanted, used, capacity);
  }
  return undefined;
}

function insufficient(resource: string, requested: bigint, used: bigint, capacity: bigint): Rejection {
  const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { reason: `OutOf${resource}`, message };
}

interface HostPort {
  readonly key: string;
  readonly ip: string;
}

function hostPortsOf({ spec }: corev1.Pod): readonly HostPort[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = "TCP", hostIP = "" }) =>
      hostPort === 0 ? [] : [{ key: `${protocol}/${hostPort}`, ip: hostIP === "" ? "0.0.0.0" : hostIP }],
    ),
  );
}

/** 0.0.0.0 clashes with every address. */
function hasPortConflict(pod: corev1.Pod, { hostPorts }: NodeUsage): boolean {
  return hostPortsOf(pod).some(({ key, ip }) => {
    const used = hostPorts.get(key);
    if (used === undefined || used.size === 0) return false;
    return ip === "0.0.0.0" || used.has("0.0.0.0") || used.has(ip);
  });
}

function isTaintedAway({ spec }: corev1.Pod, node: corev1.Node): boolean {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  return findUntoleratedTaint(taints, spec?.tolerations ?? []) !== undefined;
}

/** The usage of the pods that a node has admitted and that have not ended. A change costs the same with ten pods as with a thousand. */
export class AdmittedPods implements NodeUsage {
  readonly #pods = new Map<string, corev1.Pod>();
  readonly #hostPorts = new Map<string, Map<string, number>>();
  #requests: ResourceAmounts = noAmounts;

  get requests(): ResourceAmounts {
    return this.#requests;
  }

  get pods(): number {
    return this.#pods.size;
  }

  get hostPorts(): NodeUsage["hostPorts"] {
    return this.#hostPorts;
  }

  add(pod: corev1.Pod): void {
    const uid = pod.metadata.uid ?? "";
    if (this.#pods.has(uid)) return;
    this.#pods.set(uid, pod);
    this.#requests = addAmounts(this.#requests, podRequests(pod));
    for (const { key, ip } of hostPortsOf(pod)) {
      const used = this.#hostPorts.get(key) ?? new Map<string, number>();
      this.#hostPorts.set(key, used.set(ip, (used.get(ip) ?? 0) + 1));
    }
  }

  remove(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    this.#requests = subtractAmounts(this.#requests, podRequests(pod));
    for (const { key, ip } of hostPortsOf(pod)) {
      const used = this.#hostPorts.get(key);
      const left = (used?.get(ip) ?? 0) - 1;
      if (left > 0) used?.set(ip, left);
      else used?.delete(ip);
    }
  }
}

/** The status of a pod that was rejected: conditions and container statuses of a kubelet are not in it; those of others stay. */
export function rejectedStatus(pod: corev1.Pod, { reason, message }: Rejection, startTime: string): corev1.PodStatus {
  const { generation } = pod.metadata;
  const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !ownedConditions.includes(type));
  return {
    phase: "Failed",
    reason,
    message: `Pod was rejected: ${message}`,
    startTime,
    ...(foreign.length > 0 ? { conditions: foreign } : {}),
    ...(pod.status?.qosClass === undefined ? {} : { qosClass: pod.status.qosClass }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
