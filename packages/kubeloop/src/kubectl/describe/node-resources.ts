// What the pods of a node ask of it, one by one and together, in parts of what it has to give.
import type { corev1 } from "@kubeloop/core/api";
import { printQuantity, type Quantity, quantityMilliValue, quantityValue, zeroQuantity } from "@kubeloop/core/api";
import { addAmounts, noAmounts, podLimits, podRequests, type ResourceAmounts, toAmounts } from "@kubeloop/core/rules";
import type { Description } from "./description.ts";
import { printSince } from "./times.ts";

export function writeNodeResources(
  to: Description,
  { status = {} }: corev1.Node,
  pods: readonly corev1.Pod[],
  nowMs: number,
): void {
  const hasAllocatable = Object.keys(status.allocatable ?? {}).length > 0;
  const allocatable = toAmounts(hasAllocatable ? status.allocatable : status.capacity);
  to.line(0, "Non-terminated Pods:", `(${pods.length} in total)`);
  to.line(1, "Namespace", "Name", "", "CPU Requests", "CPU Limits", "Memory Requests", "Memory Limits", "Age");
  to.line(1, "---------", "----", "", "------------", "----------", "---------------", "-------------", "---");
  for (const pod of pods) {
    const { namespace, name, creationTimestamp } = pod.metadata;
    const [requests, limits] = [podRequests(pod), podLimits(pod)];
    const cells = (["cpu", "memory"] as const).flatMap((resource) =>
      [requests, limits].map((amounts) => printShare(resource, amounts, allocatable, wholeInt64)),
    );
    to.line(1, namespace, name, "", ...cells, printSince(creationTimestamp, nowMs));
  }
  to.line(0, "Allocated resources:");
  to.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
  to.line(1, "Resource", "Requests", "Limits");
  to.line(1, "--------", "--------", "------");
  // A resize in progress counts above, and not here.
  const requests = sum(pods, (pod) => podRequests(pod, { useStatus: false }));
  const limits = sum(pods, (pod) => podLimits(pod, { useStatus: false }));
  const names = [...allocatable.keys()].toSorted();
  const hugePages = names.filter((name) => name.startsWith("hugepages-"));
  for (const resource of [...computeResources, ...hugePages]) {
    const [asked, limited] = [requests, limits].map((amounts) => printShare(resource, amounts, allocatable, "0"));
    to.line(1, resource, asked, limited);
  }
  for (const resource of names.filter((name) => !hugePages.includes(name) && !isStandard(name)))
    to.line(1, resource, printQuantity(amountOf(requests, resource)), printQuantity(amountOf(limits, resource)));
}

const computeResources = ["cpu", "memory", "ephemeral-storage"] as const;

function isStandard(name: string): boolean {
  return name === "pods" || computeResources.some((one) => one === name);
}

/** What Go's conversion to a whole number makes of a division by zero. */
const wholeInt64 = "-9223372036854775808";

/** `100m (5%)`. */
function printShare(resource: string, amounts: ResourceAmounts, of: ResourceAmounts, ofNothing: string): string {
  const amount = amountOf(amounts, resource);
  const units = resource === "cpu" ? quantityMilliValue : quantityValue;
  const [part, whole] = [Number(units(amount)), Number(units(amountOf(of, resource)))];
  return `${printQuantity(amount)} (${whole === 0 ? ofNothing : Math.trunc((part / whole) * 100)}%)`;
}

function amountOf(amounts: ResourceAmounts, resource: string): Quantity {
  return amounts.get(resource) ?? zeroQuantity;
}

function sum(pods: readonly corev1.Pod[], amountsOf: (pod: corev1.Pod) => ResourceAmounts): ResourceAmounts {
  return pods.reduce((total, pod) => addAmounts(total, amountsOf(pod)), noAmounts);
}
