// What a pod's containers ask for together, of the resources a pod as a whole can have.
import type { corev1 } from "@kubeloop/core/api";
import { podLimits, podRequests, type ResourceAmounts } from "@kubeloop/core/rules";
import type { ResourceList } from "../shared/quantities.ts";
import { isPodLevelResource } from "../shared/resource-names.ts";

/** No machine has pages of so many sizes; whoever names more gets no sums of the rest. */
const mostNames = 64;

export function sumContainers(spec: corev1.PodSpec): {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
} {
  const names = new Set(["cpu", "memory"]);
  const pick = (list: ResourceList | undefined): ResourceList => {
    const picked: Record<string, string> = {};
    for (const [name, amount] of Object.entries(list ?? {})) {
      if (!isPodLevelResource(name) || (!names.has(name) && names.size >= mostNames)) continue;
      names.add(name);
      picked[name] = amount;
    }
    return picked;
  };
  const withPicked = ({ resources, ...container }: corev1.Container): corev1.Container => ({
    ...container,
    resources: { requests: pick(resources?.requests), limits: pick(resources?.limits) },
  });
  const pod = {
    spec: {
      containers: (spec.containers ?? []).map(withPicked),
      initContainers: (spec.initContainers ?? []).map(withPicked),
    },
  };
  const options = { useStatus: false, withOverhead: false };
  return { requests: podRequests(pod, options), limits: podLimits(pod, options) };
}
