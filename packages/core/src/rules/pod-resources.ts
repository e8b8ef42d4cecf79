// The requests and limits of a pod as a whole. Those of its containers are added; init containers run one after the other, so
// only the largest counts; sidecars (init containers with restartPolicy Always) run beside everything after them. Pod-level
// resources replace the sums where given; overhead is added on top.
//
// During a resize the largest of desired, allocated and actual resources counts, so that no resource is given to two pods. The
// desired resources do not count once the node has declared the resize infeasible.
import type { Container, ContainerStatus, Pod, ResourceRequirements } from "../api/generated/types/core/v1.ts";
import { addQuantities, isZeroQuantity, zeroQuantity } from "../api/quantity.ts";
import { addAmounts, maxAmounts, noAmounts, type ResourceAmounts, toAmounts } from "./resource-amounts.ts";

export interface PodResourceOptions {
  /** Whether a resize in progress counts. Default: true. */
  readonly useStatus?: boolean;
  /** Whether the runtime class's overhead counts. Default: true. */
  readonly withOverhead?: boolean;
  /** Whether pod-level resources count: feature gate PodLevelResources. Default: true. */
  readonly withPodLevel?: boolean;
  /** Whether a resize of pod-level requests counts, as in the scheduler; quotas count what the spec wants. Default: false. */
  readonly usePodLevelStatus?: boolean;
  /** What a container, init containers included, counts with for a resource that it has no entry for. An entry of zero stays zero. Default: nothing. */
  readonly containerDefaults?: ResourceAmounts;
}

export type ResourcePod = Pick<Pod, "spec" | "status">;

export function podRequests(pod: ResourcePod, options: PodResourceOptions = {}): ResourceAmounts {
  const { containerDefaults = noAmounts } = options;
  const ofContainers = sumContainers(pod, (container) =>
    withDefaults(containerRequests(pod, container, options), containerDefaults),
  );
  const whole = options.withPodLevel === false ? ofContainers : override(ofContainers, podLevelRequests(pod, options));
  return options.withOverhead === false ? whole : addAmounts(whole, toAmounts(pod.spec.overhead));
}

/** Returns the pod-level requests; during a resize, by the same rule as a container's. Resources that the spec does not name do not count. */
function podLevelRequests(pod: ResourcePod, { usePodLevelStatus = false }: PodResourceOptions): ResourceAmounts {
  const wanted = toAmounts(pod.spec.resources?.requests);
  if (!usePodLevelStatus || wanted.size === 0 || pod.status?.resources === undefined) return wanted;
  const inEffect = maxAmounts(toAmounts(pod.status.resources.requests), toAmounts(pod.status.allocatedResources));
  const counted = isResizeInfeasible(pod) ? inEffect : maxAmounts(wanted, inEffect);
  return new Map([...wanted.keys()].map((name) => [name, counted.get(name) ?? zeroQuantity]));
}

/** Overhead is added only to limits that exist. */
export function podLimits(pod: ResourcePod, options: PodResourceOptions = {}): ResourceAmounts {
  const ofContainers = sumContainers(pod, (container) => containerLimits(pod, container, options));
  const whole =
    options.withPodLevel === false ? ofContainers : override(ofContainers, toAmounts(pod.spec.resources?.limits));
  if (options.withOverhead === false) return whole;
  const raised = new Map(whole);
  for (const [name, overhead] of toAmounts(pod.spec.overhead)) {
    const limit = whole.get(name);
    if (limit !== undefined && !isZeroQuantity(limit)) raised.set(name, addQuantities(limit, overhead));
  }
  return raised;
}

/** Whether pod-level requests or limits are given. */
export function hasPodLevelResources(pod: Pick<Pod, "spec">): boolean {
  const { requests = {}, limits = {} } = pod.spec.resources ?? {};
  return [...Object.keys(requests), ...Object.keys(limits)].some(isPodLevelResource);
}

function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

function override(sums: ResourceAmounts, podLevel: ResourceAmounts): ResourceAmounts {
  if (podLevel.size === 0) return sums;
  return new Map([...sums, ...[...podLevel].filter(([name]) => isPodLevelResource(name))]);
}

function sumContainers(pod: ResourcePod, amountsOf: (container: Container) => ResourceAmounts): ResourceAmounts {
  let total = noAmounts;
  for (const container of pod.spec.containers) total = addAmounts(total, amountsOf(container));
  let sidecars = noAmounts;
  let largestInit = noAmounts;
  for (const container of pod.spec.initContainers ?? []) {
    const amounts = amountsOf(container);
    if (container.restartPolicy === "Always") {
      total = addAmounts(total, amounts);
      sidecars = addAmounts(sidecars, amounts);
      largestInit = maxAmounts(largestInit, sidecars);
    } else {
      largestInit = maxAmounts(largestInit, addAmounts(amounts, sidecars));
    }
  }
  return maxAmounts(total, largestInit);
}

function withDefaults(amounts: ResourceAmounts, defaults: ResourceAmounts): ResourceAmounts {
  return defaults.size === 0 ? amounts : new Map([...defaults, ...amounts]);
}

function containerRequests(pod: ResourcePod, container: Container, options: PodResourceOptions): ResourceAmounts {
  const wanted = toAmounts(container.resources?.requests);
  const status = resizedStatus(pod, container, options);
  if (status === undefined) return wanted;
  const inEffect = maxAmounts(toAmounts(status.resources.requests), toAmounts(status.allocatedResources));
  return isResizeInfeasible(pod) ? inEffect : maxAmounts(wanted, inEffect);
}

function containerLimits(pod: ResourcePod, container: Container, options: PodResourceOptions): ResourceAmounts {
  const wanted = toAmounts(container.resources?.limits);
  const status = resizedStatus(pod, container, options);
  if (status === undefined) return wanted;
  const inEffect = toAmounts(status.resources.limits);
  return isResizeInfeasible(pod) ? inEffect : maxAmounts(wanted, inEffect);
}

/** Returns the status with the resources a container has; undefined if there is none, or for plain init containers, which are not resized. */
function resizedStatus(
  pod: ResourcePod,
  container: Container,
  { useStatus = true }: PodResourceOptions,
): (ContainerStatus & { readonly resources: ResourceRequirements }) | undefined {
  if (!useStatus || pod.status === undefined) return undefined;
  const isInit = pod.spec.initContainers?.includes(container) === true;
  if (isInit && container.restartPolicy !== "Always") return undefined;
  const statuses = isInit ? pod.status.initContainerStatuses : pod.status.containerStatuses;
  const status = statuses?.find(({ name }) => name === container.name);
  return status?.resources === undefined ? undefined : { ...status, resources: status.resources };
}

function isResizeInfeasible(pod: ResourcePod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
}
