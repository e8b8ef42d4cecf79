// Preemption: when no node can take a pod, which pods of lower priority would have to go, and where. Decides only: the driver evicts, and nominates
// the node. Nodes whose refusal cannot be resolved by removing pods are not tried.
import { type Random, randomBelow } from "@kubeloop/core/base";
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { Diagnosis } from "../framework/diagnosis.ts";
import { printDiagnosis } from "../framework/diagnosis.ts";
import type { Refusal } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { pickCandidate } from "./rank-candidates.ts";
import { type Candidate, type Preemptor, selectVictims } from "./select-victims.ts";

export type Preemption =
  | { readonly at: "found"; readonly candidate: Candidate }
  /** The pod may not preempt, or waits for victims that are still terminating. Its nomination stays as it is. */
  | { readonly at: "not eligible"; readonly message: string }
  /** No node would fit even without its pods of lower priority. The nomination is to be cleared. */
  | { readonly at: "no candidate"; readonly message: string };

export interface PreemptOptions extends Preemptor {
  readonly snapshot: Snapshot;
  readonly diagnosis: Diagnosis;
  readonly random: Random;
  /** Default: a tenth of the nodes, but at least a hundred. */
  readonly preemption?: PreemptionArguments;
}

/** Upstream's DefaultPreemptionArgs: on how many of the nodes preemption is tried at least. */
export interface PreemptionArguments {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

const defaultArguments: PreemptionArguments = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };

export function preempt(options: PreemptOptions): Preemption {
  const { snapshot, diagnosis, nowMs } = options;
  const ineligible = whyNotEligible(options);
  if (ineligible !== undefined) return { at: "not eligible", message: ineligible };
  const potential = snapshot.nodes.filter(({ name }) => diagnosis.codeOf(name) === "Unschedulable");
  const { candidates, refusals } = dryRun(potential, options);
  const candidate = pickCandidate(candidates, nowMs);
  if (candidate !== undefined) return { at: "found", candidate };
  const absent = {
    code: "UnschedulableAndUnresolvable" as const,
    reasons: ["Preemption is not helpful for scheduling"],
  };
  const message = printDiagnosis(
    { refusals, absent, preFilterMessage: undefined },
    { allNodes: snapshot.nodes.length },
  );
  return { at: "no candidate", message };
}

function whyNotEligible({ pod, snapshot, diagnosis }: PreemptOptions): string | undefined {
  if (pod.pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.pod.status?.nominatedNodeName ?? "";
  if (nominated === "" || diagnosis.codeOf(nominated) === "UnschedulableAndUnresolvable") return undefined;
  for (const existing of snapshot.get(nominated)?.pods ?? []) {
    if (existing.priority < pod.priority && isTerminatingByPreemption(existing.pod)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}

function isTerminatingByPreemption({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null) return false;
  const condition = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  return condition?.status === "True" && condition.reason === "PreemptionByScheduler";
}

/** Tries nodes from a random one on, until there are enough candidates and one of them violates no budget. */
function dryRun(
  potential: readonly NodeInfo[],
  options: PreemptOptions,
): { readonly candidates: readonly Candidate[]; readonly refusals: ReadonlyMap<string, Refusal> } {
  const { minCandidateNodesPercentage, minCandidateNodesAbsolute } = options.preemption ?? defaultArguments;
  const share = Math.trunc((potential.length * minCandidateNodesPercentage) / 100);
  const wanted = Math.min(potential.length, Math.max(share, minCandidateNodesAbsolute));
  const offset = potential.length === 0 ? 0 : randomBelow(options.random, potential.length);
  const keeping: Candidate[] = [];
  const violating: Candidate[] = [];
  const refusals = new Map<string, Refusal>();
  for (let index = 0; index < potential.length; index++) {
    const node = potential[(offset + index) % potential.length];
    if (node === undefined) continue;
    const outcome = selectVictims(node, options);
    if ("code" in outcome) refusals.set(node.name, outcome);
    else (outcome.budgetViolations === 0 ? keeping : violating).push(outcome);
    if (keeping.length > 0 && keeping.length + violating.length >= wanted) break;
  }
  return { candidates: [...keeping, ...violating], refusals };
}
