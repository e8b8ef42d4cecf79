// PodTopologyLabels: a pod that is bound, or born on a node, gets the node's zone and region as labels, so that it can read them through the downward API.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionParts, AdmissionPlugin } from "../plugin.ts";

const copied = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

export function podTopologyLabels({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    handles: ["CREATE"],
    resources: ["pods"],
    async admit({ subresource, object }) {
      const name = nodeNameOf(subresource, object);
      if (name === "" || object === undefined) return;
      const node = await storage.get({ collection: "nodes", key: name });
      const held = node?.metadata.labels ?? {};
      const labels = Object.entries(held).filter(([key]) => copied.includes(key));
      if (labels.length === 0) return;
      object.metadata.labels = { ...object.metadata.labels, ...Object.fromEntries(labels) };
    },
  };
}

/** Of a binding its target, of a pod where it says it is; nothing for other subresources. */
function nodeNameOf(subresource: string, object: unknown): string {
  if (subresource === "binding") {
    const { target } = object as Draft<corev1.Binding>;
    return target?.kind === "Node" ? (target.name ?? "") : "";
  }
  return subresource === "" ? ((object as Draft<corev1.Pod>).spec?.nodeName ?? "") : "";
}
