// The beta labels of a node's operating system and architecture say what the stable ones say, for whoever still selects by them.
import type { corev1 } from "@kubeloop/core/api";

const betaOf = {
  "kubernetes.io/os": "beta.kubernetes.io/os",
  "kubernetes.io/arch": "beta.kubernetes.io/arch",
};

/** Returns the very node if its beta labels are as they should be. Without the stable label the beta label stays as it is. */
export function withBetaLabels(node: corev1.Node): corev1.Node {
  const { labels = {} } = node.metadata;
  const missing = Object.entries(betaOf).flatMap(([stable, beta]) => {
    const value = labels[stable];
    return value === undefined || labels[beta] === value ? [] : [[beta, value] as const];
  });
  if (missing.length === 0) return node;
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, ...Object.fromEntries(missing) } } };
}
