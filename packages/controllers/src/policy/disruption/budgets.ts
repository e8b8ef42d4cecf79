// Which budgets select a pod. A budget without a selector selects nothing, one with an empty selector every pod of its namespace.
import {
  fromLabelSelector,
  matchesSelector,
  type metav1,
  type policyv1,
  type Selector,
  SelectorError,
} from "@kubeloop/core/api";
import type { Snapshot } from "@kubeloop/core/contract";
import { podDisruptionBudgets } from "@kubeloop/core/resources";

/** In the order of their names. */
export function findBudgets(
  { namespace = "", labels }: Pick<metav1.ObjectMeta, "namespace" | "labels">,
  snapshot: Snapshot,
): readonly policyv1.PodDisruptionBudget[] {
  return snapshot
    .list(podDisruptionBudgets, { namespace })
    .filter(({ spec }) => {
      const selector = readSelector(spec?.selector);
      return !(selector instanceof Error) && matchesSelector(selector, labels);
    })
    .toSorted((one, other) => ((one.metadata.name ?? "") < (other.metadata.name ?? "") ? -1 : 1));
}

/** By the object in the cache, which does not change. Every change of a pod asks for the selectors of all budgets of its namespace. */
const known = new WeakMap<metav1.LabelSelector, Selector | SelectorError>();

/** Returns the error for a selector that cannot be read. Each selector of a cache is read once. */
export function readSelector(selector: metav1.LabelSelector | undefined): Selector | SelectorError {
  const before = selector && known.get(selector);
  if (before !== undefined) return before;
  const read = parseSelector(selector);
  if (selector !== undefined) known.set(selector, read);
  return read;
}

function parseSelector(selector: metav1.LabelSelector | undefined): Selector | SelectorError {
  try {
    return fromLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}
