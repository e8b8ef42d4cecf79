// RuntimeClass: a pod that names a class gets the class's overhead and place; and no pod has an overhead that is not its class's.
import type { corev1, nodev1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { equalAmounts, toAmounts } from "@kubeloop/core/rules";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

export function runtimeClass({ storage }: AdmissionParts): AdmissionPlugin {
  const classOf = async (attributes: AdmissionAttributes): Promise<nodev1.RuntimeClass | undefined> => {
    const { runtimeClassName: name } = podOf(attributes).spec;
    if (name === undefined) return undefined;
    const found = await storage.get({ collection: "node.k8s.io/runtimeclasses", key: name });
    if (found === undefined) throw admissionForbidden(attributes, `pod rejected: RuntimeClass "${name}" not found`);
    return found as nodev1.RuntimeClass;
  };
  return {
    name: "RuntimeClass",
    handles: ["CREATE"],
    resources: ["pods"],
    async admit(attributes) {
      if (attributes.subresource !== "") return;
      const found = await classOf(attributes);
      if (found === undefined) return;
      setOverhead(attributes, found);
      setScheduling(attributes, found);
    },
    async validate(attributes) {
      if (attributes.subresource !== "") return;
      const podFixed = (await classOf(attributes))?.overhead?.podFixed;
      const { overhead } = podOf(attributes).spec;
      if (podFixed === undefined) {
        if (overhead === undefined) return;
        const why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
        throw admissionForbidden(attributes, why);
      }
      if (!equalAmounts(toAmounts(podFixed), toAmounts(overhead))) throw admissionForbidden(attributes, otherOverhead);
    },
  };
}

const podOf = ({ object }: AdmissionAttributes) => object as unknown as Draft<corev1.Pod>;

function setOverhead(attributes: AdmissionAttributes, { overhead }: nodev1.RuntimeClass): void {
  const podFixed = overhead?.podFixed;
  if (podFixed === undefined) return;
  const { spec } = podOf(attributes);
  const given = toAmounts(spec.overhead);
  if (given.size > 0 && !equalAmounts(toAmounts(podFixed), given)) throw admissionForbidden(attributes, otherOverhead);
  spec.overhead = { ...podFixed };
}

function setScheduling(attributes: AdmissionAttributes, { scheduling }: nodev1.RuntimeClass): void {
  if (scheduling === undefined) return;
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  const { spec } = podOf(attributes);
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    throw admissionForbidden(attributes, why);
  }
  const selector = { ...spec.nodeSelector, ...nodeSelector };
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const merged = mergeTolerations([...(spec.tolerations ?? []), ...tolerations]);
  if (merged.length > 0) spec.tolerations = merged.map((each) => ({ ...each }));
}

/** Without those that another one covers; of two that are equal the first stays. */
function mergeTolerations(all: readonly corev1.Toleration[]): readonly corev1.Toleration[] {
  const merged: corev1.Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    const isCovered = merged.some((other) => covers(other, toleration));
    const isCoveredLater = all.slice(i + 1).some((other) => !deepEqual(other, toleration) && covers(other, toleration));
    if (!isCovered && !isCoveredLater) merged.push(toleration);
  }
  return merged;
}

/** Whether whoever has this one needs not have the other. */
function covers(toleration: corev1.Toleration, other: corev1.Toleration): boolean {
  if (deepEqual(toleration, other)) return true;
  const { key = "", operator = "", effect = "", value = "", tolerationSeconds } = toleration;
  const matchesAllKeys = key === "" && operator === "Exists";
  if (key !== (other.key ?? "") && !matchesAllKeys) return false;
  if (effect !== "" && effect !== (other.effect ?? "")) return false;
  if (effect === "NoExecute" && tolerationSeconds !== undefined) {
    if (other.tolerationSeconds === undefined || other.tolerationSeconds > tolerationSeconds) return false;
  }
  if (operator === "Exists") return true;
  return ["", "Equal"].includes(operator) && other.operator === "Equal" && value === (other.value ?? "");
}
