// The rules for one node that has changed: its taints are those of its conditions, but for a NoExecute taint that it has to wait for; and its
// beta labels say what the stable ones say.
import type { corev1 } from "@kubeloop/core/api";
import { type DecideContext, editObject, nothing, type Plan, plan } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { withBetaLabels } from "./labels.ts";
import { withConditionTaints } from "./taints.ts";

export function decideNode(node: corev1.Node, { nowMs }: DecideContext): Plan {
  const edit = editObject(nodes, node, withBetaLabels(withConditionTaints(node, nowMs)));
  return edit === undefined ? nothing("is as its conditions say") : plan("taints and labels", [[edit]]);
}
