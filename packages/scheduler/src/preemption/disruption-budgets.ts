// Which victims would violate a PodDisruptionBudget. Budgets are spent in the order of the victims; whoever comes when a budget is spent violates it.
import { fromLabelSelector, isEverything, matchesSelector } from "@kubeloop/core/api";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";
import type { PodInfo } from "../snapshot/pod-info.ts";

export interface SplitVictims {
  readonly violating: readonly PodInfo[];
  readonly others: readonly PodInfo[];
}

/** Keeps the order of the victims. A pod without labels, and a budget with an absent or empty selector, have nothing to do with each other. */
export function splitByBudget(victims: readonly PodInfo[], budgets: readonly PodDisruptionBudget[]): SplitVictims {
  const open = budgets.map((budget) => ({
    budget,
    selector: fromLabelSelector(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const victim of victims) {
    const { name = "", labels = {} } = victim.pod.metadata;
    let isViolating = false;
    if (Object.keys(labels).length > 0) {
      for (const entry of open) {
        const { budget, selector } = entry;
        if (budget.metadata.namespace !== victim.namespace || isEverything(selector)) continue;
        if (!matchesSelector(selector, labels) || budget.status?.disruptedPods?.[name] !== undefined) continue;
        entry.allowed--;
        if (entry.allowed < 0) isViolating = true;
      }
    }
    (isViolating ? violating : others).push(victim);
  }
  return { violating, others };
}
