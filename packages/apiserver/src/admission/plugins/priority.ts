// Priority: a pod's priority is that of its PriorityClass, or of the one that is everybody's default; and there is only one such default.
import type { corev1, schedulingv1 } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

const collection = "scheduling.k8s.io/priorityclasses";

interface Priority {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string | undefined;
}

/** Where no class is the default. */
const noClass: Priority = { className: "", value: 0, preemptionPolicy: "PreemptLowerPriority" };

export function priority({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "Priority",
    handles: ["CREATE", "UPDATE", "DELETE"],
    resources: ["pods", collection],
    async admit(attributes) {
      const { operation, subresource, resource, object, oldObject } = attributes;
      if (subresource !== "" || resource.resource !== "pods" || object === undefined) return;
      const { spec } = object as unknown as Draft<corev1.Pod>;
      if (operation === "UPDATE") keepPriority(spec, (oldObject as corev1.Pod).spec);
      else setPriority(attributes, spec, await priorityOf(attributes, spec.priorityClassName ?? "", storage));
    },
    async validate(attributes) {
      const { operation, subresource, resource, object } = attributes;
      if (subresource !== "" || resource.resource !== "priorityclasses" || object === undefined) return;
      const { globalDefault, metadata } = object as unknown as schedulingv1.PriorityClass;
      if (globalDefault !== true) return;
      const held = await defaultClass(storage);
      const name = held?.metadata.name;
      if (name === undefined || (operation === "UPDATE" && name === metadata.name)) return;
      const why = `PriorityClass ${name} is already marked as default. Only one default can exist`;
      throw admissionForbidden(attributes, why);
    },
  };
}

/** What was found out when it was created; nobody may change it. */
function keepPriority(spec: Draft<corev1.PodSpec>, old: corev1.PodSpec): void {
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
  }
}

async function priorityOf(
  attributes: AdmissionAttributes,
  className: string,
  storage: AdmissionParts["storage"],
): Promise<Priority> {
  if (className === "") {
    const found = await defaultClass(storage);
    return found === undefined ? noClass : priorityIn(found);
  }
  const found = await storage.get({ collection, key: className });
  if (found === undefined) throw admissionForbidden(attributes, `no PriorityClass with name ${className} was found`);
  return priorityIn(found as schedulingv1.PriorityClass);
}

const priorityIn = ({ metadata, value = 0, preemptionPolicy }: schedulingv1.PriorityClass): Priority => ({
  className: metadata.name ?? "",
  value,
  preemptionPolicy,
});

/** Two can come about in a race; then it is the lower one. */
async function defaultClass(storage: AdmissionParts["storage"]): Promise<schedulingv1.PriorityClass | undefined> {
  const { objects } = await storage.list(collection, {});
  const marked = (objects as readonly schedulingv1.PriorityClass[]).filter(
    ({ globalDefault }) => globalDefault === true,
  );
  return marked.toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

function setPriority(attributes: AdmissionAttributes, spec: Draft<corev1.PodSpec>, computed: Priority): void {
  const { className, value, preemptionPolicy } = computed;
  if (className !== "") spec.priorityClassName = className;
  const rest = "must not be provided in pod spec; priority admission controller computed";
  const from = "from the given PriorityClass name";
  if (spec.priority !== undefined && spec.priority !== value) {
    const why = `the integer value of priority (${spec.priority}) ${rest} ${value} ${from}`;
    throw admissionForbidden(attributes, why);
  }
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${rest} ${preemptionPolicy} ${from}`;
    throw admissionForbidden(attributes, why);
  }
  spec.preemptionPolicy = preemptionPolicy;
}
