// What the ttl controller looks at for one key: the node, and the seconds that the cluster's size asks for.
import type { corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import type { ClusterSize } from "./model.ts";

export interface Observed {
  readonly node: corev1.Node;
  readonly ttlSeconds: number;
}

/** Undefined when there is no such node (any more). */
export function observe(key: string, { snapshot, model }: View<ClusterSize>): Observed | undefined {
  const node = snapshot.get(nodes, key);
  return node && { node, ttlSeconds: model.ttlSeconds };
}
