// A pod's QoS class. Guaranteed: every container limits both cpu and memory, and requests equal limits. BestEffort:
// nothing is requested or limited. Burstable: all others. Zero counts as absent.
import type { Pod, ResourceRequirements } from "../api/generated/types/core/v1.ts";
import { quantitySign } from "../api/quantity.ts";
import {
  addAmounts,
  equalAmounts,
  noAmounts,
  type ResourceAmounts,
  type ResourceList,
  toAmounts,
} from "./resource-amounts.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** Returns the class in the pod's status, or else the one computed from its spec. */
export function podQosClass(pod: Pick<Pod, "spec" | "status">): QosClass {
  const reported = pod.status?.qosClass;
  return reported === "Guaranteed" || reported === "Burstable" || reported === "BestEffort"
    ? reported
    : computeQosClass(pod);
}

/** From the spec alone. Pod-level resources, where given, replace those of the containers. */
export function computeQosClass(pod: Pick<Pod, "spec">): QosClass {
  const { resources, containers, initContainers = [] } = pod.spec;
  const parts: readonly (ResourceRequirements | undefined)[] =
    resources === undefined ? [...containers, ...initContainers].map((container) => container.resources) : [resources];
  let requests = noAmounts;
  let limits = noAmounts;
  let isLimited = true;
  for (const part of parts) {
    const partLimits = computeAmounts(part?.limits);
    requests = addAmounts(requests, computeAmounts(part?.requests));
    limits = addAmounts(limits, partLimits);
    // Missing pod-level limits cannot equal the requests either, so one rule serves pods and containers.
    if (!partLimits.has("cpu") || !partLimits.has("memory")) isLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  return isLimited && equalAmounts(requests, limits) ? "Guaranteed" : "Burstable";
}

function computeAmounts(list: ResourceList | undefined): ResourceAmounts {
  const compute = [...toAmounts(list)].filter(
    ([name, quantity]) => (name === "cpu" || name === "memory") && quantitySign(quantity) > 0,
  );
  return new Map(compute);
}
