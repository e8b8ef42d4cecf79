// NodeName: a pod that names its node goes nowhere else.
import type { Plugin, Refusal } from "../framework/plugin.ts";

const name = "NodeName";
const refusal: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match the requested node name"],
};

export const nodeName: Plugin = {
  name,
  preFilter: ({ pod }) => {
    const wanted = pod.pod.spec.nodeName ?? "";
    if (wanted === "") return undefined;
    return { filter: { filter: (node) => (node.name === wanted ? undefined : refusal) } };
  },
};
