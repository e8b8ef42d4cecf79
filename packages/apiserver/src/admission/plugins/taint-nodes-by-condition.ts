// TaintNodesByCondition: a new node is not ready. It is born with the taint that says so, because nothing may be scheduled on it before the node
// lifecycle controller has seen it.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionPlugin } from "../plugin.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: "TaintNodesByCondition",
    handles: ["CREATE"],
    resources: ["nodes"],
    async admit({ subresource, object }) {
      if (subresource !== "") return;
      const node = object as unknown as Draft<corev1.Node>;
      const held = node.spec?.taints ?? [];
      if (held.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
      node.spec = { ...node.spec, taints: [...held, { ...notReady }] };
    },
  };
}
