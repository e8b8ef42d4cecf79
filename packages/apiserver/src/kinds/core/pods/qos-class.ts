// The class of service of a pod that has not been checked yet: it may lack containers.
import type { corev1 } from "@kubeloop/core/api";
import { computeQosClass, type QosClass } from "@kubeloop/core/rules";

export function qosClassOf({ spec }: Pick<corev1.Pod, "spec">): QosClass {
  return computeQosClass({ spec: { ...spec, containers: spec.containers ?? [] } });
}
