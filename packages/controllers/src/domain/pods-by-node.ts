// The pods of a node, by the node's name: for the controllers that act on all pods of a node. Pods without a node are in no list.
import type { corev1 } from "@kubeloop/core/api";
import { defineIndex, type Index } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";

export const podsByNode: Index<corev1.Pod> = defineIndex("pods-by-node", pods, ({ spec }) =>
  spec?.nodeName ? [spec.nodeName] : [],
);
