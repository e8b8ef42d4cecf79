// PodTopologySpread, the plugin: hard constraints filter, soft ones and the cluster's defaults score.
import type { Plugin } from "../framework/plugin.ts";
import { newSpreadFilter } from "./spread-filter.ts";
import { newSpreadScorer } from "./spread-score.ts";

export const podTopologySpread: Plugin = {
  name: "PodTopologySpread",
  preFilter: (cycle) => {
    const filter = newSpreadFilter(cycle);
    return filter === undefined ? undefined : { filter };
  },
  preScore: newSpreadScorer,
};
