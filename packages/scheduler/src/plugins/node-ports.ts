// NodePorts: two pods on a node cannot listen on the same host port.
import type { Plugin, Refusal } from "../framework/plugin.ts";

const name = "NodePorts";
const refusal: Refusal = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
};

export const nodePorts: Plugin = {
  name,
  preFilter: ({ pod: { hostPorts } }) => {
    if (hostPorts.length === 0) return undefined;
    return {
      filter: {
        filter: ({ ports }) =>
          ports !== undefined && hostPorts.some((port) => ports.hasConflict(port)) ? refusal : undefined,
      },
    };
  },
};
