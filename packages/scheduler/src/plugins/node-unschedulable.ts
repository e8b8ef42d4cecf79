// NodeUnschedulable: a cordoned node takes only pods that tolerate the taint which stands for it.
import { isTaintTolerated } from "@kubeloop/core/rules";
import type { Plugin, Refusal } from "../framework/plugin.ts";

const name = "NodeUnschedulable";
const refusal: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) were unschedulable"],
};
const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

export const nodeUnschedulable: Plugin = {
  name,
  preFilter: ({ pod }) => {
    const isTolerated = isTaintTolerated(taint, pod.pod.spec.tolerations);
    return {
      filter: { filter: ({ node }) => (node.spec?.unschedulable === true && !isTolerated ? refusal : undefined) },
    };
  },
};
