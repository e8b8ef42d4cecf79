// /metrics/resources: what each pod requests, and its limits, as the scheduler counts them. Only the replica that leads has something to tell.
import { approximateQuantity, isZeroQuantity, type Transport } from "@kubeloop/core/api";
import { MetricsRegistry } from "@kubeloop/core/base";
import { isPodTerminal, podLimits, podRequests } from "@kubeloop/core/rules";
import { metricsHandler } from "@kubeloop/core/runtime";
import type { Pod } from "@kubeloop/core/types/core/v1";

const labels = ["namespace", "node", "pod", "priority", "resource", "scheduler", "unit"] as const;
const shows =
  "This shows the resource usage the scheduler and kubelet expect per pod for resources along with the unit for the resource if any.";

const definitions = {
  limit: {
    name: "kube_pod_resource_limit",
    help: `[STABLE] Resources limit for workloads on the cluster, broken down by pod. ${shows}`,
    labels,
  },
  request: {
    name: "kube_pod_resource_request",
    help: `[STABLE] Resources requested by workloads on the cluster, broken down by pod. ${shows}`,
    labels,
  },
} as const;

/** `podsNow` is undefined while another replica leads. */
export function podResourcesHandler(podsNow: () => readonly Pod[] | undefined): Transport {
  return metricsHandler({ print: () => printPodResources(podsNow() ?? []) });
}

export function printPodResources(pods: readonly Pod[]): string {
  const registry = new MetricsRegistry();
  const gauges = { limit: registry.gauge(definitions.limit), request: registry.gauge(definitions.request) };
  for (const pod of pods) {
    const { metadata, spec } = pod;
    const { nodeName: node = "", schedulerName: scheduler = "", priority } = spec;
    // A pod without a node cannot have ended.
    if (node !== "" && isPodTerminal(pod)) continue;
    const { namespace = "", name = "" } = metadata;
    const common = { namespace, node, pod: name, priority: priority === undefined ? "" : String(priority), scheduler };
    const amounts = { limit: podLimits(pod, { useStatus: false }), request: podRequests(pod, { useStatus: false }) };
    for (const kind of ["limit", "request"] as const) {
      for (const [resource, quantity] of amounts[kind]) {
        if (isZeroQuantity(quantity)) continue;
        const series = gauges[kind].labels({ ...common, resource, unit: unitOf(resource) });
        series.set(approximateQuantity(quantity));
      }
    }
  }
  return registry.print();
}

const bytes = ["memory", "storage", "ephemeral-storage"];

function unitOf(resource: string): string {
  if (resource === "cpu") return "cores";
  if (bytes.includes(resource) || resource.startsWith("hugepages-")) return "bytes";
  return resource.startsWith("attachable-volumes-") ? "integer" : "";
}
