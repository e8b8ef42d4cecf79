// Which budgets select a pod. A budget without a selector selects nothing, one with an empty selector every pod of its namespace.
import { matchesSelector, type metav1, type policyv1 } from "@kubeloop/core/api";
import type { Snapshot } from "@kubeloop/core/contract";
import { podDisruptionBudgets } from "@kubeloop/core/resources";
import { readSelector } from "../../domain/selectors.ts";

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
