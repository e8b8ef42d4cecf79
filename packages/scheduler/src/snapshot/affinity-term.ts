// The terms of pod affinity and anti-affinity, parsed once per pod object. A term is about other pods: which namespaces, which labels, and the
// topology key within whose values "near" is meant.
import { fromLabelSelector, matchesSelector, type Selector } from "@kubeloop/core/api";
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from "@kubeloop/core/types/core/v1";

export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
  readonly selector: Selector;
  readonly topologyKey: string;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

type Labels = Readonly<Record<string, string>> | undefined;

/**
 * Whether the term is about this pod. `namespaceLabels` are those of the pod's namespace. As upstream, terms of the incoming pod are matched
 * without them, because `withSelectedNamespaces` has already replaced the selector by names.
 */
export function matchesTerm(term: AffinityTerm, pod: Pod, namespaceLabels: Labels): boolean {
  if (!term.namespaces.has(pod.metadata.namespace ?? "") && !matchesSelector(term.namespaceSelector, namespaceLabels)) {
    return false;
  }
  return matchesSelector(term.selector, pod.metadata.labels);
}

export function matchesAllTerms(terms: readonly AffinityTerm[], pod: Pod): boolean {
  return terms.length > 0 && terms.every((term) => matchesTerm(term, pod, undefined));
}

/** Without namespaces and without a namespace selector, a term is about the namespace of the pod that has it. */
export function toAffinityTerm(owner: Pod, term: PodAffinityTerm): AffinityTerm {
  const { namespaces = [], namespaceSelector, topologyKey } = term;
  const isOwnNamespace = namespaces.length === 0 && (namespaceSelector === undefined || namespaceSelector === null);
  return {
    namespaces: new Set(isOwnNamespace ? [owner.metadata.namespace ?? ""] : namespaces),
    namespaceSelector: fromLabelSelector(namespaceSelector),
    selector: fromLabelSelector(term.labelSelector),
    topologyKey,
  };
}

export function toWeightedAffinityTerm(owner: Pod, weighted: WeightedPodAffinityTerm): WeightedAffinityTerm {
  return { ...toAffinityTerm(owner, weighted.podAffinityTerm), weight: weighted.weight };
}
