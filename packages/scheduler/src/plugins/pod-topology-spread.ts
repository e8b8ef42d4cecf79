// PodTopologySpread, the plugin: hard constraints filter, soft ones and the cluster's defaults score.
import type { Plugin } from "../framework/plugin.ts";
import { type DefaultSpreading, systemSpreading } from "./spread-constraints.ts";
import { newSpreadFilter } from "./spread-filter.ts";
import { newSpreadScorer } from "./spread-score.ts";

/** `spreading` is for pods without constraints of their own. */
export function newPodTopologySpread(spreading: DefaultSpreading = systemSpreading): Plugin {
  return {
    name: "PodTopologySpread",
    preFilter: (cycle) => {
      const filter = newSpreadFilter(cycle);
      return filter === undefined ? undefined : { filter };
    },
    preScore: (cycle, nodes) => newSpreadScorer(cycle, nodes, spreading),
  };
}

export const podTopologySpread: Plugin = newPodTopologySpread();
