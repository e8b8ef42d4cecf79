// PodResizeValidator: a pod that runs may be resized only on Linux, and not beyond what its node has.
import {
  compareQuantities,
  type corev1,
  newStatusError,
  quantityMilliValue,
  quantityValue,
  type StatusError,
  zeroQuantity,
} from "@kubeloop/core/api";
import { podRequests, toAmounts } from "@kubeloop/core/rules";
import type { AdmissionAttributes } from "../attributes.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

export function podResizeValidator({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "PodResizeValidator",
    handles: ["UPDATE"],
    resources: ["pods"],
    async validate(attributes) {
      const { subresource, object, oldObject } = attributes;
      const pod = object as unknown as corev1.Pod;
      const name = pod.spec.nodeName ?? "";
      // A generation that stays says that nothing was resized.
      const isResized = pod.metadata.generation !== oldObject?.metadata.generation;
      if (subresource !== "resize" || name === "" || !isResized) return;
      const node = (await storage.get({ collection: "nodes", key: name })) as corev1.Node | undefined;
      if (node === undefined) throw admissionForbidden(attributes, `node "${name}" not found`);
      const system = node.metadata.labels?.["kubernetes.io/os"] ?? "linux";
      if (system !== "linux") {
        const why = `pod resize is only supported on linux nodes, node "${name}" is "${system}"`;
        throw withCause(attributes, why, "UnsupportedPlatform");
      }
      const exceeded = exceededOn(node, pod);
      if (exceeded.length === 0) return;
      const why = `node didn't have enough allocatable resources: ${exceeded.join("; ")}`;
      throw withCause(attributes, why, "NodeCapacity");
    },
  };
}

function exceededOn({ status }: corev1.Node, pod: corev1.Pod): readonly string[] {
  const requests = podRequests(pod, { useStatus: false });
  const allocatable = toAmounts(status?.allocatable);
  return (["cpu", "memory"] as const).flatMap((name) => {
    const requested = requests.get(name) ?? zeroQuantity;
    const free = allocatable.get(name) ?? zeroQuantity;
    if (compareQuantities(requested, free) <= 0) return [];
    const print = name === "cpu" ? quantityMilliValue : quantityValue;
    return [`${name}, requested: ${print(requested)}, allocatable: ${print(free)}`];
  });
}

function withCause(attributes: AdmissionAttributes, why: string, reason: string): StatusError {
  const { message, status } = admissionForbidden(attributes, why);
  const details = { ...status.details, causes: [{ reason }] };
  return newStatusError({ code: 403, reason: "Forbidden", message, details });
}
