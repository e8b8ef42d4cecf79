// TaintToleration: taints with NoSchedule or NoExecute keep pods away that do not tolerate them; those with PreferNoSchedule cost a score.
import { findUntoleratedTaint, isTaintTolerated } from "@kubeloop/core/rules";
import { normalizeByMax, type Plugin, type Refusal } from "../framework/plugin.ts";

const name = "TaintToleration";
const refusal: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) had untolerated taint(s)"],
};
const options = { effects: ["NoSchedule", "NoExecute"] };

export const taintToleration: Plugin = {
  name,
  preFilter: ({ pod }) => {
    const { tolerations } = pod.pod.spec;
    return {
      filter: {
        filter: ({ node }) => {
          const { taints } = node.spec ?? {};
          if (taints === undefined || taints.length === 0) return undefined;
          return findUntoleratedTaint(taints, tolerations, options) === undefined ? undefined : refusal;
        },
      },
    };
  },
  preScore: ({ pod }) => {
    // A toleration of another effect tells nothing about a preference.
    const tolerations = (pod.pod.spec.tolerations ?? []).filter(
      ({ effect = "" }) => effect === "" || effect === "PreferNoSchedule",
    );
    return {
      score: ({ node }) => {
        let intolerable = 0;
        for (const taint of node.spec?.taints ?? []) {
          if (taint.effect === "PreferNoSchedule" && !isTaintTolerated(taint, tolerations)) intolerable++;
        }
        return intolerable;
      },
      normalize: (scores) => normalizeByMax(scores, { reverse: true }),
    };
  },
};
