// One scheduling cycle, purely: from a pod and a snapshot to a node, or to the reasons why there is none and the victims that would help. What
// upstream leaves to threads and chance is fixed as with its `parallelism: 1`: nodes are visited in order, and ties have one outcome.
import type { Random } from "@kubeloop/core/base";
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { CycleObserver } from "./framework/cycle-observer.ts";
import { Diagnosis, printDiagnosis } from "./framework/diagnosis.ts";
import { type PreFiltered, preFilter, runFiltersWithNominated } from "./framework/filter-nodes.ts";
import type { Listers } from "./framework/listers.ts";
import { type Cycle, PluginError } from "./framework/plugin.ts";
import { pickBest, type Scoring, scoreNodes } from "./framework/score-nodes.ts";
import type { VolumesToBind } from "./framework/volumes-to-bind.ts";
import { type PreemptionArguments, preempt } from "./preemption/preempt.ts";
import type { Candidate } from "./preemption/select-victims.ts";
import type { NodeInfo } from "./snapshot/node-info.ts";
import type { Nominator } from "./snapshot/nominator.ts";
import { incomingPodInfo } from "./snapshot/pod-info.ts";
import type { Snapshot } from "./snapshot/snapshot.ts";

export interface ScheduleOptions {
  readonly snapshot: Snapshot;
  readonly listers: Listers;
  readonly nominator: Nominator;
  readonly plugins: readonly Scoring[];
  /** Where the search begins; each verdict says where the next one does. */
  readonly startIndex: number;
  /** How many of the nodes must be found feasible before the search stops. 0: fewer in larger clusters. */
  readonly percentageOfNodesToScore: number;
  readonly nowMs: number;
  readonly random: Random;
  /** The plugins that are asked when no node can take the pod, in order. Default: upstream's. */
  readonly postFilters?: readonly PostFilter[];
  readonly preemption?: PreemptionArguments;
  /** Measures. What is decided does not depend on it. */
  readonly observer?: CycleObserver;
}

/** DynamicResources has no claims to free here, and says so, because messages are upstream's. */
export type PostFilter = "DynamicResources" | "DefaultPreemption";

export const defaultPostFilters: readonly PostFilter[] = ["DynamicResources", "DefaultPreemption"];

export type Verdict = { readonly startIndex: number } & (
  | {
      readonly at: "scheduled";
      readonly nodeName: string;
      /** What must be bound before the pod is. Undefined: nothing. */
      readonly volumes?: VolumesToBind;
    }
  /** The snapshot is empty. No plugin refused, so that the pod is retried with backoff and without waiting for an event. */
  | { readonly at: "no nodes"; readonly message: string }
  /** A plugin could not tell. The pod is retried with backoff. */
  | { readonly at: "error"; readonly message: string }
  | {
      readonly at: "unschedulable";
      readonly message: string;
      readonly rejectingPlugins: ReadonlySet<string>;
      /** What becomes of `status.nominatedNodeName`. */
      readonly nomination: "keep" | "clear" | Candidate;
    }
);

export function schedulePod(pod: Pod, options: ScheduleOptions): Verdict {
  const { snapshot, listers, startIndex } = options;
  if (snapshot.nodes.length === 0) {
    return { at: "no nodes", message: "no nodes available to schedule pods", startIndex };
  }
  try {
    return findNode({ pod: incomingPodInfo(pod), snapshot, listers }, options);
  } catch (error) {
    if (error instanceof PluginError) return { at: "error", message: error.message, startIndex };
    throw error;
  }
}

function findNode(cycle: Cycle, options: ScheduleOptions): Verdict {
  const { plugins, observer } = options;
  const diagnosis = new Diagnosis();
  const preFiltering = observer?.point("PreFilter");
  preFiltering?.begin();
  const preFiltered = preFilter(
    plugins.map(({ plugin }) => plugin),
    cycle,
    observer,
  );
  preFiltering?.end(preFiltered.refusal?.code ?? "Success");
  for (const plugin of preFiltered.narrowing) diagnosis.rejectingPlugins.add(plugin);
  if (preFiltered.refusal !== undefined) {
    const { code, plugin, reasons } = preFiltered.refusal;
    diagnosis.absent = { code, reasons };
    diagnosis.preFilterMessage = reasons.join(", ");
    diagnosis.rejectingPlugins.add(plugin);
    return explain(cycle, preFiltered, diagnosis, options);
  }
  const search: Search = { cycle, preFiltered, diagnosis, options };
  const filtering = observer?.point("Filter");
  filtering?.begin();
  const nominated = findNominated(search);
  if (nominated !== undefined) {
    filtering?.end("Success");
    return placed(cycle, nominated, options);
  }
  const { feasible, nextIndex } = findFeasible(search);
  filtering?.end("Success");
  const after = { ...options, startIndex: nextIndex };
  const [first] = feasible;
  if (first === undefined) return explain(cycle, preFiltered, diagnosis, after);
  // A single node needs no score.
  const best = feasible.length === 1 ? 0 : pickBest(scoreNodes(plugins, cycle, feasible, observer));
  return placed(cycle, feasible[best] ?? first, after);
}

function placed(cycle: Cycle, node: NodeInfo, { plugins, startIndex, observer }: ScheduleOptions): Verdict {
  const reserving = observer?.point("Reserve");
  reserving?.begin();
  let volumes: VolumesToBind | undefined;
  for (const { plugin } of plugins) {
    if (plugin.reserve === undefined) continue;
    const meter = observer?.plugin("Reserve", plugin.name);
    meter?.begin();
    volumes ??= plugin.reserve(cycle, node);
    meter?.end("Success");
  }
  reserving?.end("Success");
  const placement = { at: "scheduled", nodeName: node.name, startIndex } as const;
  return volumes === undefined ? placement : { ...placement, volumes };
}

interface Search {
  readonly cycle: Cycle;
  readonly preFiltered: PreFiltered;
  readonly diagnosis: Diagnosis;
  readonly options: ScheduleOptions;
}

/** Returns the node that the pod is nominated to, if it passes. It is tried first and alone, and taken without scores. */
function findNominated({ cycle, preFiltered, diagnosis, options }: Search): NodeInfo | undefined {
  const nominated = cycle.pod.pod.status?.nominatedNodeName ?? "";
  if (nominated === "") return undefined;
  const node = options.snapshot.get(nominated);
  if (node === undefined) return undefined;
  const refusal = runFiltersWithNominated(preFiltered.filters, node, { ...options, pod: cycle.pod });
  if (refusal !== undefined) diagnosis.refuse(nominated, refusal);
  return refusal === undefined ? node : undefined;
}

/** Visits nodes from the start index on and stops when enough are feasible: at the first that is one too many, as upstream. */
function findFeasible({ cycle, preFiltered, diagnosis, options }: Search): {
  readonly feasible: readonly NodeInfo[];
  readonly nextIndex: number;
} {
  const { snapshot, startIndex, percentageOfNodesToScore } = options;
  const { nodeNames, narrowing, filters } = preFiltered;
  let nodes = snapshot.nodes;
  if (nodeNames !== undefined) {
    nodes = [...nodeNames].flatMap((name) => snapshot.get(name) ?? []);
    const reasons = [`node(s) didn't satisfy plugin(s) [${narrowing.toSorted().join(" ")}]`];
    diagnosis.absent = { code: "UnschedulableAndUnresolvable", reasons };
  }
  const wanted = feasibleNodesToFind(nodes.length, percentageOfNodesToScore);
  const context = { ...options, pod: cycle.pod };
  const feasible: NodeInfo[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[(startIndex + index) % nodes.length];
    if (node === undefined) continue;
    const refusal = runFiltersWithNominated(filters, node, context);
    if (refusal !== undefined) diagnosis.refuse(node.name, refusal);
    else if (feasible.length === wanted) break;
    else feasible.push(node);
  }
  const nextIndex = (startIndex + feasible.length + diagnosis.refusals.size) % snapshot.nodes.length;
  return { feasible, nextIndex };
}

const minFeasibleNodes = 100;
const minPercentage = 5;

/** Returns how many feasible nodes are enough. Small clusters are searched whole; without a percentage, it falls from 50 with the cluster's size. */
export function feasibleNodesToFind(nodes: number, percentageOfNodesToScore: number): number {
  if (nodes < minFeasibleNodes) return nodes;
  const adaptive = Math.max(minPercentage, 50 - Math.trunc(nodes / 125));
  const percentage = percentageOfNodesToScore === 0 ? adaptive : percentageOfNodesToScore;
  return Math.max(minFeasibleNodes, Math.trunc((nodes * percentage) / 100));
}

/** The pod fits nowhere: asks the plugins that may make room, and puts the message together. */
function explain(cycle: Cycle, preFiltered: PreFiltered, diagnosis: Diagnosis, options: ScheduleOptions): Verdict {
  const { snapshot, listers, startIndex, postFilters = defaultPostFilters } = options;
  const verdict = (postFilterMessage: string, nomination: "keep" | "clear" | Candidate): Verdict => ({
    at: "unschedulable",
    message: printDiagnosis(diagnosis, { allNodes: snapshot.nodes.length, postFilterMessage }),
    rejectingPlugins: diagnosis.rejectingPlugins,
    nomination,
    startIndex,
  });
  const messages: string[] = [];
  let nomination: "keep" | "clear" = "keep";
  const asking = options.observer?.point("PostFilter");
  asking?.begin();
  for (const postFilter of postFilters) {
    const meter = options.observer?.plugin("PostFilter", postFilter);
    meter?.begin();
    if (postFilter === "DynamicResources") {
      // It fails if its own PreFilter never ran. All plugins here that can refuse so come before it.
      if (preFiltered.refusal?.code === "UnschedulableAndUnresolvable") {
        meter?.end("Error");
        asking?.end("Error");
        return verdict("not found", "keep");
      }
      meter?.end("Unschedulable");
      messages.push("no new claims to deallocate");
      continue;
    }
    const budgets = [...listers.podDisruptionBudgets()];
    const preemption = preempt({ ...options, pod: cycle.pod, filters: preFiltered.filters, budgets, diagnosis });
    meter?.end(preemption.at === "found" ? "Success" : "Unschedulable");
    if (preemption.at === "found") {
      asking?.end("Success");
      return verdict("", preemption.candidate);
    }
    if (preemption.at === "no candidate") nomination = "clear";
    messages.push(`preemption: ${preemption.message}`);
  }
  asking?.end("Unschedulable");
  return verdict(messages.join(", "), nomination);
}
