// Which plugins run at which extension point: upstream's default set, changed by what a profile enables and disables, and spread over the points that each
// plugin has. The order is upstream's: plugins that are enabled for the point and for all points first, then those for all points, then the others.
import { SchedulerConfigurationError } from "./configuration-error.ts";
import {
  type ExtensionPointName,
  extensionPoints,
  type PluginEntry,
  type PluginSet,
  type PluginSets,
} from "./document-shape.ts";

/** The extension points of each plugin that upstream has by default. */
export const pointsOf: Readonly<Record<string, readonly ExtensionPointName[]>> = {
  SchedulingGates: ["preEnqueue"],
  PrioritySort: ["queueSort"],
  NodeUnschedulable: ["filter"],
  NodeName: ["filter"],
  TaintToleration: ["filter", "preScore", "score"],
  NodeAffinity: ["preFilter", "filter", "preScore", "score"],
  NodePorts: ["preFilter", "filter"],
  NodeResourcesFit: ["preFilter", "filter", "preScore", "score"],
  VolumeRestrictions: ["preFilter", "filter"],
  NodeVolumeLimits: ["preFilter", "filter"],
  VolumeBinding: ["preFilter", "filter", "reserve", "preBind", "preScore", "score"],
  VolumeZone: ["preFilter", "filter"],
  PodTopologySpread: ["preFilter", "filter", "preScore", "score"],
  InterPodAffinity: ["preFilter", "filter", "preScore", "score"],
  DynamicResources: ["preEnqueue", "preFilter", "filter", "postFilter", "score", "reserve", "preBind"],
  DefaultPreemption: ["preEnqueue", "postFilter"],
  NodeResourcesBalancedAllocation: ["preScore", "score"],
  ImageLocality: ["score"],
  DefaultBinder: ["bind"],
  NodeDeclaredFeatures: ["preFilter", "filter"],
};

const defaultWeights: Readonly<Record<string, number>> = {
  TaintToleration: 3,
  NodeAffinity: 2,
  NodeResourcesFit: 1,
  PodTopologySpread: 2,
  InterPodAffinity: 2,
  DynamicResources: 2,
  NodeResourcesBalancedAllocation: 1,
  ImageLocality: 1,
};

/** What a document may leave out. */
export interface GivenPluginSet {
  readonly enabled?: readonly Partial<PluginEntry>[];
  readonly disabled?: readonly Partial<PluginEntry>[];
}

/** Returns the sets with the default plugins, without those that are disabled, and with the weights that are given. */
export function mergePluginSets(given: Readonly<Record<string, GivenPluginSet | undefined>> = {}): PluginSets {
  const defaults = Object.keys(pointsOf).map((name) => ({ name, weight: defaultWeights[name] ?? 0 }));
  const sets = ["multiPoint" as const, ...extensionPoints].map((point) => [
    point,
    mergePluginSet(point === "multiPoint" ? defaults : [], given[point] ?? {}),
  ]);
  return Object.fromEntries(sets) as PluginSets;
}

function mergePluginSet(defaults: readonly PluginEntry[], given: GivenPluginSet): PluginSet {
  const custom = (given.enabled ?? []).map(({ name = "", weight = 0 }) => ({ name, weight }));
  const disabled = (given.disabled ?? []).map(({ name = "" }) => ({ name, weight: 0 }));
  const isDisabled = (name: string) => disabled.some((each) => each.name === "*" || each.name === name);
  const replaced = new Set<PluginEntry>();
  const kept = defaults
    .filter(({ name }) => !isDisabled(name))
    .map((byDefault) => {
      // Of several entries the last one counts; the others stay, and are found to be repeated.
      const instead = custom.findLast(({ name }) => name === byDefault.name);
      if (instead !== undefined) replaced.add(instead);
      return instead ?? byDefault;
    });
  const enabled = [...kept, ...custom.filter((each) => !replaced.has(each))];
  return { ...(enabled.length > 0 ? { enabled } : {}), ...(disabled.length > 0 ? { disabled } : {}) };
}

export interface ExpandedPlugins {
  readonly at: Readonly<Record<ExtensionPointName, readonly string[]>>;
  /** Of the plugins that score. */
  readonly weights: ReadonlyMap<string, number>;
}

/** Returns the plugins of each point, in order. Throws a SchedulerConfigurationError in the words in which upstream refuses to create such a profile. */
export function expandPluginSets(sets: PluginSets, schedulerName: string): ExpandedPlugins {
  const refuse = (message: string): never => {
    const where = `initializing profiles: creating profile for scheduler name ${schedulerName}`;
    throw new SchedulerConfigurationError([`${where}: ${message}`]);
  };
  for (const point of extensionPoints) checkPoint(point, sets[point], refuse);
  const at = Object.fromEntries(
    extensionPoints.map((point) => [point, expandPoint(point, sets, refuse)]),
  ) as ExpandedPlugins["at"];
  const quoted = JSON.stringify(schedulerName);
  if (at.queueSort.length !== 1) {
    const count = at.queueSort.length;
    refuse(`only one queue sort plugin required for profile with scheduler name ${quoted}, but got ${count}`);
  }
  if (at.bind.length === 0) refuse(`at least one bind plugin is needed for profile with scheduler name ${quoted}`);
  return { at, weights: scoreWeights(sets, refuse) };
}

const kindOf = (point: ExtensionPointName) => `${point.slice(0, 1).toUpperCase()}${point.slice(1)}Plugin`;

function checkPoint(point: ExtensionPointName, { enabled = [] }: PluginSet, refuse: (message: string) => never): void {
  const seen = new Set<string>();
  for (const { name } of enabled) {
    const points = pointsOf[name];
    if (points === undefined) refuse(`${kindOf(point)} ${JSON.stringify(name)} does not exist`);
    if (!points.includes(point)) refuse(`plugin ${JSON.stringify(name)} does not extend ${kindOf(point)} plugin`);
    if (seen.has(name)) refuse(`plugin ${JSON.stringify(name)} already registered as ${JSON.stringify(kindOf(point))}`);
    seen.add(name);
  }
}

function expandPoint(
  point: ExtensionPointName,
  sets: PluginSets,
  refuse: (message: string) => never,
): readonly string[] {
  const own = (sets[point].enabled ?? []).map(({ name }) => name);
  const disabled = new Set((sets[point].disabled ?? []).map(({ name }) => name));
  if (disabled.has("*")) return own;
  const overriding = new Set<string>();
  const ofAll = new Set<string>();
  for (const { name } of sets.multiPoint.enabled ?? []) {
    const points = pointsOf[name];
    if (points === undefined) refuse(`${kindOf(point)} ${JSON.stringify(name)} does not exist`);
    if (!points.includes(point) || disabled.has(name)) continue;
    if (own.includes(name)) overriding.add(name);
    else if (ofAll.has(name)) {
      refuse(`plugin ${JSON.stringify(name)} already registered as ${JSON.stringify(kindOf(point))}`);
    } else ofAll.add(name);
  }
  return [...own.filter((name) => overriding.has(name)), ...ofAll, ...own.filter((name) => !overriding.has(name))];
}

const maxTotalScore = 2 ** 63;

function scoreWeights(sets: PluginSets, refuse: (message: string) => never): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  let total = 0;
  for (const { name, weight } of [...(sets.score.enabled ?? []), ...(sets.multiPoint.enabled ?? [])]) {
    if (pointsOf[name]?.includes("score") !== true || weights.has(name)) continue;
    weights.set(name, weight === 0 ? 1 : weight);
    // In Go, subtracting a negative total from the largest integer overflows: so a negative weight is found by the plugin after it.
    if (total < 0 || weight * 100 > maxTotalScore - total)
      refuse("score plugins: total score of Score plugins could overflow");
    total += (weight === 0 ? 1 : weight) * 100;
  }
  return weights;
}
