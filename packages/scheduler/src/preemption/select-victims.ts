// Which pods of one node must go so that the pod fits: all of lower priority are removed, and then given back, the most important first, as long as
// the pod still fits. Works on copies; nothing is evicted here.
import { parseTime } from "@kubeloop/core/api";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";
import { cloneFilters, runFiltersWithNominated } from "../framework/filter-nodes.ts";
import type { NodeFilter, Refusal } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { Nominator } from "../snapshot/nominator.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import { splitByBudget } from "./disruption-budgets.ts";

export interface Preemptor {
  readonly pod: PodInfo;
  readonly filters: readonly NodeFilter[];
  readonly nominator: Nominator;
  readonly budgets: readonly PodDisruptionBudget[];
  readonly nowMs: number;
}

export interface Candidate {
  readonly nodeName: string;
  /** The most important first; never empty. */
  readonly victims: readonly PodInfo[];
  readonly budgetViolations: number;
}

export const noVictims: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: "DefaultPreemption",
  reasons: ["No preemption victims found for incoming pod"],
};

/** Returns the victims, or why removing every pod of lower priority would not help. */
export function selectVictims(node: NodeInfo, preemptor: Preemptor): Candidate | Refusal {
  const { pod, budgets, nowMs } = preemptor;
  const potential = [...node.pods].filter(({ priority }) => priority < pod.priority);
  if (potential.length === 0) return noVictims;
  const trial = node.clone();
  const filters = cloneFilters(preemptor.filters);
  const remove = (victim: PodInfo) => {
    trial.removePod(victim.uid);
    for (const filter of filters) filter.removePod?.(victim, trial);
  };
  const putBack = (victim: PodInfo) => {
    trial.addPod(victim);
    for (const filter of filters) filter.addPod?.(victim, trial);
  };
  for (const victim of potential) remove(victim);
  const refusal = runFiltersWithNominated(filters, trial, preemptor);
  if (refusal !== undefined) return refusal;

  const byImportance = (a: PodInfo, b: PodInfo) => compareImportance(a, b, nowMs);
  const { violating, others } = splitByBudget(potential.toSorted(byImportance), budgets);
  const victims: PodInfo[] = [];
  let budgetViolations = 0;
  const mustGo = (victim: PodInfo): boolean => {
    putBack(victim);
    if (runFiltersWithNominated(filters, trial, preemptor) === undefined) return false;
    remove(victim);
    victims.push(victim);
    return true;
  };
  for (const victim of violating) if (mustGo(victim)) budgetViolations++;
  for (const victim of others) mustGo(victim);
  return { nodeName: node.name, victims: victims.sort(byImportance), budgetViolations };
}

/** The higher priority first, then the pod that started earlier. A pod that has not started counts as starting now. */
function compareImportance(a: PodInfo, b: PodInfo, nowMs: number): number {
  return b.priority - a.priority || startMs(a, nowMs) - startMs(b, nowMs);
}

export function startMs({ pod }: PodInfo, nowMs: number): number {
  const startTime = pod.status?.startTime;
  return startTime === undefined || startTime === null ? nowMs : parseTime(startTime);
}
