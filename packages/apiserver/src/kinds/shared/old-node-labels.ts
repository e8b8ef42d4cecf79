// Labels of nodes that are no longer used, and what to do about it.
import { childPath, type FieldPath, itemPath, type metav1, printPath } from "@kubeloop/core/api";

const oldNodeLabels = new Map(
  Object.entries({
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
  }),
);

/** Of a label that stands at this path. */
export function oldNodeLabelWarnings(label: string, path: FieldPath): string[] {
  const advice = oldNodeLabels.get(label);
  return advice === undefined ? [] : [`${printPath(path)}: ${advice}`];
}

/** Of a selector of nodes. */
export function nodeSelectorWarnings(selector: metav1.LabelSelector | undefined, path: FieldPath): string[] {
  const { matchExpressions = [], matchLabels = {} } = selector ?? {};
  return [
    ...matchExpressions.flatMap(({ key }, i) => {
      const advice = oldNodeLabels.get(key);
      const keyPath = childPath(itemPath(childPath(path, "matchExpressions"), i), "key");
      return advice === undefined ? [] : [`${printPath(keyPath)}: ${key} is ${advice}`];
    }),
    ...Object.keys(matchLabels).flatMap((label) => oldNodeLabelWarnings(label, childPath(path, "matchLabels", label))),
  ];
}
