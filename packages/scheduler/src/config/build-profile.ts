// Makes a profile of its document: the plugins of each extension point with their arguments. What upstream accepts and this scheduler cannot do is refused
// with a sentence, never ignored.
import type { Profile } from "../driver/scheduler.ts";
import type { Plugin } from "../framework/plugin.ts";
import type { Scoring } from "../framework/score-nodes.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import { newInterPodAffinity } from "../plugins/inter-pod-affinity.ts";
import { newNodeAffinity } from "../plugins/node-affinity.ts";
import { newNodeResourcesBalancedAllocation } from "../plugins/node-resources-balanced-allocation.ts";
import { newNodeResourcesFit } from "../plugins/node-resources-fit.ts";
import { newPodTopologySpread } from "../plugins/pod-topology-spread.ts";
import { systemSpreading } from "../plugins/spread-constraints.ts";
import type { PostFilter } from "../schedule.ts";
import { printFaults, SchedulerConfigurationError } from "./configuration-error.ts";
import type { ExtensionPointName, PluginConfig, ProfileDocument } from "./document-shape.ts";
import { hasArguments } from "./document-shape.ts";
import { argumentsOf, readArguments } from "./plugin-arguments.ts";
import { type ExpandedPlugins, expandPluginSets, pointsOf } from "./plugin-sets.ts";
import { checkArguments } from "./validate-document.ts";

/** Returns the entries that upstream writes: those of the plugins in use, by name, with defaults. */
export function completePluginConfig({ plugins, pluginConfig }: ProfileDocument): readonly PluginConfig[] {
  const inUse = new Set(Object.values(plugins).flatMap(({ enabled = [] }) => enabled.map(({ name }) => name)));
  return [...inUse].toSorted().flatMap((name) => {
    const given = pluginConfig.find((each) => each.name === name)?.args;
    const args = given ?? (hasArguments(name) ? readArguments(name, {}, "") : undefined);
    return args === undefined || pointsOf[name] === undefined ? [] : [{ name, args }];
  });
}

/** Throws a SchedulerConfigurationError. `percentage` is that of all profiles. */
export function buildProfile(document: ProfileDocument, percentage: number): Profile {
  const { schedulerName, pluginConfig } = document;
  const where = `initializing profiles: creating profile for scheduler name ${schedulerName}`;
  const fit = argumentsOf(pluginConfig, "NodeResourcesFit");
  const isFitUsed = Object.values(document.plugins).some(({ enabled = [] }) =>
    enabled.some(({ name }) => name === "NodeResourcesFit"),
  );
  const faults = isFitUsed ? [...checkArguments("NodeResourcesFit", fit, "")] : [];
  if (faults.length > 0) {
    throw new SchedulerConfigurationError([`${where}: initializing plugin "NodeResourcesFit": ${printFaults(faults)}`]);
  }
  const expanded = expandPluginSets(document.plugins, schedulerName);
  const unsupported = [...findUnsupported(expanded, document)];
  if (unsupported.length > 0) throw new SchedulerConfigurationError(unsupported);
  const { at } = expanded;
  return {
    schedulerName,
    plugins: pluginsOf(expanded, pluginConfig),
    percentageOfNodesToScore: document.percentageOfNodesToScore ?? percentage,
    postFilters: at.postFilter as readonly PostFilter[],
    preEnqueues: new Set(at.preEnqueue),
    preemption: argumentsOf(pluginConfig, "DefaultPreemption"),
    volumeBindTimeoutMs: argumentsOf(pluginConfig, "VolumeBinding").bindTimeoutSeconds * 1000,
  };
}

const pairs: readonly (readonly [first: ExtensionPointName, second: ExtensionPointName])[] = [
  ["preFilter", "filter"],
  ["preScore", "score"],
];

function* findUnsupported({ at }: ExpandedPlugins, { schedulerName, pluginConfig }: ProfileDocument) {
  const profile = `profile ${JSON.stringify(schedulerName)}`;
  for (const [first, second] of pairs) {
    for (const name of at[second]) {
      if (pointsOf[name]?.includes(first) !== true || at[first].includes(name) || !isHere(name)) continue;
      yield `${profile}: ${name} at ${second} without ${first} is not supported by this scheduler`;
    }
  }
  const filtering = at.filter.filter((name) => at.preFilter.includes(name));
  const preFiltering = at.preFilter.filter((name) => at.filter.includes(name));
  if (filtering.join() !== preFiltering.join()) {
    yield `${profile}: plugins in one order at preFilter and in another at filter are not supported by this scheduler`;
  }
  for (const point of ["reserve", "preBind"] as const) {
    if (at.filter.includes("VolumeBinding") === at[point].includes("VolumeBinding")) continue;
    yield `${profile}: VolumeBinding at filter without ${point}, or at ${point} alone, is not supported by this scheduler`;
  }
  const { defaultConstraints = [] } = argumentsOf(pluginConfig, "PodTopologySpread");
  if (defaultConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")) {
    yield `${profile}: default constraints with DoNotSchedule are not supported by this scheduler`;
  }
}

const isHere = (name: string) => defaultPlugins.some(({ plugin }) => plugin.name === name);

function pluginsOf({ at, weights }: ExpandedPlugins, pluginConfig: readonly PluginConfig[]): readonly Scoring[] {
  // PreFilter and Filter have the same order; a plugin that only scores may stand anywhere.
  const names = new Set([...at.filter, ...at.preFilter, ...at.score]);
  return [...names].flatMap((name) => {
    const plugin = pluginOf(name, pluginConfig);
    if (plugin === undefined) return [];
    const isFiltering = at.filter.includes(name);
    const isPreFiltering = at.preFilter.includes(name);
    const parts = { isFiltering, isPreFiltering, isScoring: at.score.includes(name) };
    return [{ plugin: withParts(plugin, parts), weight: weights.get(name) ?? 1 }];
  });
}

function pluginOf(name: string, pluginConfig: readonly PluginConfig[]): Plugin | undefined {
  switch (name) {
    case "NodeAffinity":
      return newNodeAffinity(argumentsOf(pluginConfig, name));
    case "NodeResourcesFit":
      return newNodeResourcesFit(fitArguments(pluginConfig));
    case "NodeResourcesBalancedAllocation":
      return newNodeResourcesBalancedAllocation(argumentsOf(pluginConfig, name));
    case "InterPodAffinity":
      return newInterPodAffinity(argumentsOf(pluginConfig, name));
    case "PodTopologySpread": {
      const { defaultingType, defaultConstraints = [] } = argumentsOf(pluginConfig, name);
      return newPodTopologySpread(
        defaultingType === "System" ? systemSpreading : { constraints: defaultConstraints, needsAllKeys: true },
      );
    }
    default:
      return defaultPlugins.find(({ plugin }) => plugin.name === name)?.plugin;
  }
}

/** The default strategy has a function of its own, which is faster. */
function fitArguments(pluginConfig: readonly PluginConfig[]): Parameters<typeof newNodeResourcesFit>[0] {
  const { scoringStrategy, ...rest } = argumentsOf(pluginConfig, "NodeResourcesFit");
  const { type, resources } = scoringStrategy;
  const isDefault =
    type === "LeastAllocated" && resources.map(({ name, weight }) => `${name} ${weight}`).join() === "cpu 1,memory 1";
  return isDefault ? rest : { ...rest, scoringStrategy };
}

interface Parts {
  readonly isPreFiltering: boolean;
  readonly isFiltering: boolean;
  readonly isScoring: boolean;
}

/** Leaves out what is not enabled. A plugin that filters no more may still refuse a pod for all nodes. */
function withParts(plugin: Plugin, { isPreFiltering, isFiltering, isScoring }: Parts): Plugin {
  const { name, preFilter, preScore, reserve } = plugin;
  const all = { filter: () => undefined };
  const refusing: Plugin["preFilter"] = (cycle) => {
    const result = preFilter?.(cycle);
    return result === undefined || "refusal" in result ? result : { ...result, filter: all };
  };
  return {
    name,
    ...(preFilter !== undefined && isFiltering ? { preFilter } : {}),
    ...(preFilter !== undefined && !isFiltering && isPreFiltering ? { preFilter: refusing } : {}),
    ...(preScore !== undefined && isScoring ? { preScore } : {}),
    ...(reserve !== undefined && isFiltering ? { reserve } : {}),
  };
}
