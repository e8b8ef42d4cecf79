// NodeAffinity: nodeSelector and required node affinity keep nodes out, preferred terms add their weights. Terms that name nodes by
// `metadata.name In` narrow the search to those nodes, so that a DaemonSet's pod does not look at the whole cluster.
import { matchesNodeAffinity, nodeAffinityScore } from "@kubeloop/core/rules";
import type { NodeAffinity, NodeSelectorTerm, Pod } from "@kubeloop/core/types/core/v1";
import { normalizeByMax, type Plugin, type Refusal } from "../framework/plugin.ts";

const name = "NodeAffinity";
const refusal: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
};
const conflict: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["pod affinity terms conflict"],
};

const notEnforced: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match scheduler-enforced node affinity"],
};

/** Upstream's NodeAffinityArgs: what every pod of the profile has beside its own. */
export interface NodeAffinityArguments {
  readonly addedAffinity?: NodeAffinity;
}

export function newNodeAffinity({ addedAffinity = {} }: NodeAffinityArguments = {}): Plugin {
  const enforced = addedAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = addedAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const added = { spec: { containers: [], affinity: { nodeAffinity: addedAffinity } } };
  return {
    name,
    preFilter: ({ pod: { pod } }) => {
      const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      if (required === undefined && pod.spec.nodeSelector === undefined && enforced === undefined) return undefined;
      const filter = {
        filter: ({ node }: { readonly node: Parameters<typeof matchesNodeAffinity>[1] }) => {
          if (enforced !== undefined && !matchesNodeAffinity(added, node)) return notEnforced;
          return matchesNodeAffinity(pod, node) ? undefined : refusal;
        },
      };
      const nodeNames = namedNodes(required?.nodeSelectorTerms ?? []);
      if (nodeNames === undefined) return { filter };
      return nodeNames.size === 0 ? { refusal: conflict } : { filter, nodeNames };
    },
    preScore: ({ pod: { pod } }) => {
      if (!hasPreferredTerms(pod) && preferred.length === 0) return undefined;
      const addedScore = (node: Parameters<typeof nodeAffinityScore>[1]) =>
        preferred.length === 0 ? 0 : nodeAffinityScore(added, node);
      return {
        score: ({ node }) => addedScore(node) + nodeAffinityScore(pod, node),
        normalize: (scores) => normalizeByMax(scores),
      };
    },
  };
}

export const nodeAffinity: Plugin = newNodeAffinity();

function hasPreferredTerms(pod: Pod): boolean {
  return (pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? undefined) !== undefined;
}

/** Returns the nodes that the terms name. Undefined if some term names none, because terms are ORed. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    let named: readonly string[] | undefined;
    for (const { key, operator, values = [] } of matchFields) {
      if (key !== "metadata.name" || operator !== "In") continue;
      named = named === undefined ? values : named.filter((value) => values.includes(value));
    }
    if (named === undefined) return undefined;
    for (const value of named) names.add(value);
  }
  return names;
}
