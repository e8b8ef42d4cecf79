// Which nodes can take the pod. PreFilter runs once, in plugin order; then each node asks the filters in the same order, and the first that refuses
// gives the reason. Pods that are nominated to a node count as if they were there.
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { Nominator } from "../snapshot/nominator.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import { type CycleObserver, measuredFilter, noMeter, type PluginStatus } from "./cycle-observer.ts";
import type { Cycle, NodeFilter, Plugin, PreFilterResult, Refusal } from "./plugin.ts";

export interface PreFiltered {
  readonly filters: readonly NodeFilter[];
  /** Undefined: all nodes. */
  readonly nodeNames: ReadonlySet<string> | undefined;
  /** The plugins that named nodes. */
  readonly narrowing: readonly string[];
  /** Refuses every node. */
  readonly refusal: Refusal | undefined;
}

/**
 * An unresolvable refusal ends it. After one that removing pods may resolve, the other plugins still run, because preemption needs their filters;
 * the last of those refusals counts.
 */
export function preFilter(plugins: readonly Plugin[], cycle: Cycle, observer?: CycleObserver): PreFiltered {
  const filters: NodeFilter[] = [];
  const narrowing: string[] = [];
  let nodeNames: ReadonlySet<string> | undefined;
  let refusal: Refusal | undefined;
  for (const plugin of plugins) {
    if (plugin.preFilter === undefined) continue;
    const meter = observer?.plugin("PreFilter", plugin.name) ?? noMeter;
    meter.begin();
    const result = plugin.preFilter(cycle);
    meter.end(statusOf(result));
    if (result === undefined) continue;
    if ("refusal" in result) {
      refusal = result.refusal;
      if (refusal.code === "UnschedulableAndUnresolvable") break;
      continue;
    }
    const meterOfFilter = observer?.plugin("Filter", plugin.name);
    filters.push(meterOfFilter === undefined ? result.filter : measuredFilter(result.filter, meterOfFilter));
    if (result.nodeNames === undefined) continue;
    narrowing.push(plugin.name);
    nodeNames = nodeNames === undefined ? result.nodeNames : intersect(nodeNames, result.nodeNames);
    if (nodeNames.size > 0) continue;
    refusal = nothingLeft(narrowing.toSorted());
    break;
  }
  return { filters, nodeNames, narrowing, refusal };
}

function statusOf(result: PreFilterResult | undefined): PluginStatus {
  if (result === undefined) return "Skip";
  return "refusal" in result ? result.refusal.code : "Success";
}

function intersect(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...left].filter((name) => right.has(name)));
}

function nothingLeft(plugins: readonly string[]): Refusal {
  const [first = ""] = plugins;
  const reason =
    plugins.length === 1
      ? `node(s) didn't satisfy plugin ${first}`
      : `node(s) didn't satisfy plugin(s) [${plugins.join(" ")}] simultaneously`;
  return { code: "UnschedulableAndUnresolvable", plugin: first, reasons: [reason] };
}

/** Returns the first refusal. */
export function runFilters(filters: readonly NodeFilter[], node: NodeInfo): Refusal | undefined {
  for (const filter of filters) {
    const refusal = filter.filter(node);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * The node must take the pod with the nominated pods of equal or higher priority on it, and without them: they may never come, and the pod may need
 * them for its affinity.
 */
export function runFiltersWithNominated(
  filters: readonly NodeFilter[],
  node: NodeInfo,
  { pod, nominator }: { readonly pod: PodInfo; readonly nominator: Nominator },
): Refusal | undefined {
  let withNominated: NodeInfo | undefined;
  let changed = filters;
  for (const nominated of nominator.on(node.name)) {
    if (nominated.priority < pod.priority || nominated.uid === pod.uid) continue;
    if (withNominated === undefined) {
      withNominated = node.clone();
      changed = cloneFilters(filters);
    }
    withNominated.addPod(nominated);
    for (const filter of changed) filter.addPod?.(nominated, withNominated);
  }
  if (withNominated !== undefined) {
    const refusal = runFilters(changed, withNominated);
    if (refusal !== undefined) return refusal;
  }
  return runFilters(filters, node);
}

/** Filters that never change are shared. */
export function cloneFilters(filters: readonly NodeFilter[]): readonly NodeFilter[] {
  return filters.map((filter) => filter.clone?.() ?? filter);
}
