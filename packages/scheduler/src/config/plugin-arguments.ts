// The arguments of plugins: read strictly, with upstream's defaults.
import { parseDuration, printDuration } from "@kubeloop/core/api";
import { SchedulerConfigurationError } from "./configuration-error.ts";
import { type Fields, findUnknownFields, isObject } from "./decode-shape.ts";
import {
  argumentsShape,
  configurationVersion,
  hasArguments,
  type PluginArgs,
  type PluginConfig,
  type ResourceSpec,
} from "./document-shape.ts";

const defaultResources: readonly ResourceSpec[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

/**
 * Returns the arguments with their defaults; those of a plugin that takes none as they are. `path` is that of the entry. Throws a
 * SchedulerConfigurationError in upstream's words.
 */
export function readArguments(name: string, args: unknown, path: string): object | undefined {
  if (!hasArguments(name)) return isObject(args) ? args : undefined;
  const given = isObject(args) ? args : {};
  const kind = given["kind"] ?? `${name}Args`;
  const [group] = String(given["apiVersion"] ?? configurationVersion).split("/");
  if (kind !== `${name}Args`) {
    const wanted = `${name}Args.kubescheduler.config.k8s.io`;
    throw new SchedulerConfigurationError([
      `decoding .${path}: args for plugin ${name} were not of type ${wanted}, got ${kind}.${group}`,
    ]);
  }
  const unknown = findUnknownFields(given, argumentsShape(name));
  if (unknown.length > 0) {
    const strict = "strict decoding error: ";
    const fields = unknown.map((field) => `unknown field "${field}"`).join(", ");
    throw new SchedulerConfigurationError([
      `${strict}decoding .${path}: ${strict}decoding args for plugin ${name}: ${strict}${fields}`,
    ]);
  }
  return { apiVersion: configurationVersion, kind: `${name}Args`, ...given, ...defaultsOf[name](given) };
}

/** Returns the arguments that the entries have for a plugin, or its defaults. */
export function argumentsOf<Name extends keyof PluginArgs>(
  pluginConfig: readonly PluginConfig[],
  name: Name,
): PluginArgs[Name] {
  const found = pluginConfig.find((each) => each.name === name)?.args;
  return (found ?? readArguments(name, {}, "")) as PluginArgs[Name];
}

const defaultsOf: { readonly [Name in keyof PluginArgs]: (given: Fields) => Fields } = {
  DefaultPreemption: (given) => ({
    minCandidateNodesPercentage: given["minCandidateNodesPercentage"] ?? 10,
    minCandidateNodesAbsolute: given["minCandidateNodesAbsolute"] ?? 100,
  }),
  DynamicResources: (given) => ({
    filterTimeout: duration(given["filterTimeout"], "10s"),
    bindingTimeout: duration(given["bindingTimeout"], "10m0s"),
  }),
  InterPodAffinity: (given) => ({
    hardPodAffinityWeight: given["hardPodAffinityWeight"] ?? 1,
    ignorePreferredTermsOfExistingPods: given["ignorePreferredTermsOfExistingPods"] ?? false,
  }),
  NodeAffinity: () => ({}),
  NodeResourcesBalancedAllocation: (given) => ({ resources: withWeights(given["resources"]) }),
  NodeResourcesFit: (given) => {
    const strategy = given["scoringStrategy"];
    if (!isObject(strategy)) return { scoringStrategy: { type: "LeastAllocated", resources: defaultResources } };
    const type = strategy["type"] ?? "";
    return { scoringStrategy: { ...strategy, type, resources: withWeights(strategy["resources"]) } };
  },
  PodTopologySpread: (given) => ({ defaultingType: given["defaultingType"] || "System" }),
  VolumeBinding: (given) => ({ bindTimeoutSeconds: given["bindTimeoutSeconds"] ?? 600 }),
};

/** As Go prints it. */
function duration(value: unknown, fallback: string): string {
  return typeof value === "string" ? printDuration(parseDuration(value)) : fallback;
}

/** Without resources, those by default. A weight of 0 is one that was not given. */
function withWeights(value: unknown): readonly ResourceSpec[] {
  const given = (value ?? []) as readonly Partial<ResourceSpec>[];
  if (given.length === 0) return defaultResources;
  return given.map(({ name = "", weight = 0 }) => ({ name, weight: weight === 0 ? 1 : weight }));
}
