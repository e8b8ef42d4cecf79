// The rule for one pod: on a node that is not ready, it is not ready either, so that no Service sends anything to it.
import { findCondition, printTime } from "@kubeloop/core/api";
import {
  type DecideContext,
  editStatus,
  inOrder,
  nothing,
  type Plan,
  plan,
  recordEvent,
} from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import type { SeenPod } from "./observe.ts";
import { readyStatusOf } from "./taints.ts";

export function decidePod({ pod, node }: SeenPod, { nowMs }: DecideContext): Plan {
  const nodeStatus = readyStatusOf(node);
  if (nodeStatus === undefined || nodeStatus === "True") return nothing("its node is ready, or has not reported");
  const { conditions = [] } = pod.status ?? {};
  const ready = findCondition(conditions, "Ready");
  if (ready === undefined || ready.status === "False") return nothing("is not ready");
  // Reason and message stay the kubelet's.
  const marked = { ...ready, status: "False", lastTransitionTime: printTime(nowMs) };
  const after = conditions.map((condition) => (condition === ready ? marked : condition));
  const edit = editStatus(pods, pod, { ...pod, status: { ...pod.status, conditions: after } });
  const event = recordEvent(pod, { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" });
  return plan("mark it not ready", [[inOrder(edit, event)]]);
}
