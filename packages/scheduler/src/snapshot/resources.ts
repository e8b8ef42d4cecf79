// Amounts of resources as plain numbers: cpu in milli, everything else in whole units, rounded up on the total. Only the resources that a
// scheduler counts are here; all others are ignored. Exact below 2^53, that is 8 PiB of memory.
import { quantityMilliValue, quantityValue } from "@kubeloop/core/api";
import { podRequests, type ResourceAmounts, type ResourcePod, toAmounts } from "@kubeloop/core/rules";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";

export interface Resources {
  readonly milliCpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  /** Extended resources, huge pages and attachable volumes, by name. */
  readonly scalar: ReadonlyMap<string, number>;
}

export interface NonZeroRequests {
  readonly milliCpu: number;
  readonly memory: number;
}

export interface Allocatable extends Resources {
  readonly pods: number;
}

const noScalar: ReadonlyMap<string, number> = new Map();

export function toResources(amounts: ResourceAmounts): Resources {
  let milliCpu = 0;
  let memory = 0;
  let ephemeralStorage = 0;
  let scalar: Map<string, number> | undefined;
  for (const [name, quantity] of amounts) {
    if (name === "cpu") milliCpu = Number(quantityMilliValue(quantity));
    else if (name === "memory") memory = Number(quantityValue(quantity));
    else if (name === "ephemeral-storage") ephemeralStorage = Number(quantityValue(quantity));
    else if (isScalarResource(name)) {
      scalar ??= new Map();
      scalar.set(name, Number(quantityValue(quantity)));
    }
  }
  return { milliCpu, memory, ephemeralStorage, scalar: scalar ?? noScalar };
}

/** Returns what the node offers to pods. Its capacity is never looked at; without an entry for pods it takes none. */
export function allocatableOf(node: Node): Allocatable {
  const amounts = toAmounts(node.status?.allocatable);
  const pods = amounts.get("pods");
  return { ...toResources(amounts), pods: pods === undefined ? 0 : Number(quantityValue(pods)) };
}

export function isScalarResource(name: string): boolean {
  if (name.startsWith("hugepages-") || name.startsWith("attachable-volumes-")) return true;
  return name.includes("/") && !name.startsWith("requests.");
}

/** Returns the requests of a pod that is to be placed: what its spec says. */
export function requestsOfIncoming(pod: ResourcePod): Resources {
  return toResources(podRequests(pod, { useStatus: false }));
}

/** Returns the requests of a pod on a node, where a resize in progress counts. */
export function requestsOfBound(pod: ResourcePod): Resources {
  return toResources(podRequests(pod, { usePodLevelStatus: true }));
}

// A container without requests is scored as if it had these, so that not all of them end on the same node.
const containerDefaults = toAmounts({ cpu: "100m", memory: "200Mi" });

/** Returns the requests for scores, of a pod that is to be placed. As upstream 1.36, those of its containers, also where pod-level requests are given. */
export function nonZeroRequestsOfIncoming(pod: ResourcePod): NonZeroRequests {
  return toResources(podRequests(pod, { useStatus: false, withPodLevel: false, containerDefaults }));
}

/** Returns the requests for scores, of a pod on a node. With pod-level requests, the defaults are only for resources that are not requested at all. */
export function nonZeroRequestsOfBound(pod: Pod): NonZeroRequests {
  const podLevel = Object.keys(pod.spec.resources?.requests ?? {});
  if (podLevel.length === 0) return toResources(podRequests(pod, { containerDefaults }));
  const requested = podRequests(pod, { usePodLevelStatus: true });
  const missing = new Map([...containerDefaults].filter(([name]) => !requested.has(name)));
  return toResources(podRequests(pod, { usePodLevelStatus: true, containerDefaults: missing }));
}
