// What a scheduler needs of a pod, computed once per pod object: requests, host ports, affinity terms. The pod itself is read-only.
import { podPriority } from "@kubeloop/core/rules";
import type { ContainerPort, Pod } from "@kubeloop/core/types/core/v1";
import {
  type AffinityTerm,
  toAffinityTerm,
  toWeightedAffinityTerm,
  type WeightedAffinityTerm,
} from "./affinity-term.ts";
import {
  type NonZeroRequests,
  nonZeroRequestsOfBound,
  nonZeroRequestsOfIncoming,
  type Resources,
  requestsOfBound,
  requestsOfIncoming,
} from "./resources.ts";

export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly priority: number;
  readonly isTerminating: boolean;
  readonly hostPorts: readonly ContainerPort[];
  /** The claims that its volumes name, as `namespace/name`. Those of ephemeral volumes are the pod's own and not among them. */
  readonly claims: readonly string[];
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
  readonly requests: Resources;
  readonly nonZero: NonZeroRequests;
}

/** Throws a SelectorError if an affinity term has an invalid selector, which the API server does not accept. */
export function incomingPodInfo(pod: Pod): PodInfo {
  return { ...commonFacts(pod), requests: requestsOfIncoming(pod), nonZero: nonZeroRequestsOfIncoming(pod) };
}

const boundPodInfos = new WeakMap<Pod, PodInfo>();

/** Returns the facts of a pod on a node, where a resize in progress counts. The result is kept as long as the pod object. */
export function boundPodInfo(pod: Pod): PodInfo {
  const known = boundPodInfos.get(pod);
  if (known !== undefined) return known;
  const podInfo = { ...commonFacts(pod), requests: requestsOfBound(pod), nonZero: nonZeroRequestsOfBound(pod) };
  boundPodInfos.set(pod, podInfo);
  return podInfo;
}

function commonFacts(pod: Pod): Omit<PodInfo, "requests" | "nonZero"> {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const { uid = "", namespace = "", deletionTimestamp } = pod.metadata;
  return {
    pod,
    uid,
    namespace,
    priority: podPriority(pod),
    isTerminating: deletionTimestamp !== undefined && deletionTimestamp !== null,
    hostPorts: hostPortsOf(pod),
    claims: claimsOf(pod),
    requiredAffinity: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      toAffinityTerm(pod, term),
    ),
    requiredAntiAffinity: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      toAffinityTerm(pod, term),
    ),
    preferredAffinity: (podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      toWeightedAffinityTerm(pod, term),
    ),
    preferredAntiAffinity: (podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      toWeightedAffinityTerm(pod, term),
    ),
  };
}

/** The host ports of app containers and sidecars. Plain init containers have ended before the others listen. */
function hostPortsOf(pod: Pod): readonly ContainerPort[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...pod.spec.containers].flatMap(({ ports = [] }) =>
    ports.filter(({ hostPort = 0 }) => hostPort > 0),
  );
}

const noClaims: readonly string[] = [];

function claimsOf({ metadata: { namespace = "" }, spec: { volumes } }: Pod): readonly string[] {
  if (volumes === undefined) return noClaims;
  return volumes.flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [`${namespace}/${persistentVolumeClaim.claimName}`],
  );
}

export function hasAffinity(podInfo: PodInfo): boolean {
  return (
    podInfo.requiredAffinity.length > 0 ||
    podInfo.requiredAntiAffinity.length > 0 ||
    podInfo.preferredAffinity.length > 0 ||
    podInfo.preferredAntiAffinity.length > 0
  );
}
