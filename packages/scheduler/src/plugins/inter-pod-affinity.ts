// InterPodAffinity, the plugin: required terms filter, preferred ones score; those of the incoming pod and those of the pods that are there.
import { isEverything, matchesSelector } from "@kubeloop/core/api";
import type { Listers } from "../framework/listers.ts";
import type { Plugin } from "../framework/plugin.ts";
import type { AffinityTerm } from "../snapshot/affinity-term.ts";
import { newAffinityFilter } from "./affinity-filter.ts";
import { newAffinityScorer } from "./affinity-score.ts";

/** Upstream's InterPodAffinityArgs. */
export interface InterPodAffinityArguments {
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

const defaults: InterPodAffinityArguments = { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false };

export function newInterPodAffinity(options: InterPodAffinityArguments = defaults): Plugin {
  return {
    name: "InterPodAffinity",
    preFilter: (cycle) => {
      const filter = newAffinityFilter(cycle, (term) => withSelectedNamespaces(term, cycle.listers));
      return filter === undefined ? undefined : { filter };
    },
    preScore: (cycle) => newAffinityScorer(cycle, (term) => withSelectedNamespaces(term, cycle.listers), options),
  };
}

export const interPodAffinity: Plugin = newInterPodAffinity();

/** Returns the term with the namespaces that its selector matches today among its names. An empty selector matches all of them as it is. */
function withSelectedNamespaces<Term extends AffinityTerm>(term: Term, listers: Listers): Term {
  if (term.namespaceSelector.selects === "nothing" || isEverything(term.namespaceSelector)) return term;
  const namespaces = new Set(term.namespaces);
  for (const { metadata } of listers.namespaces()) {
    if (matchesSelector(term.namespaceSelector, metadata.labels)) namespaces.add(metadata.name ?? "");
  }
  return { ...term, namespaces };
}
