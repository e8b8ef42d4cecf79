// What is wrong with the arguments of a plugin, in upstream's words. An empty list is nothing.
import { parseDurationMs, validateQualifiedName } from "@kubeloop/core/api";
import type { NodeSelectorTerm } from "@kubeloop/core/types/core/v1";
import type { PluginArgs, ResourceSpec, ShapePoint } from "./document-shape.ts";
import { child, duplicate, forbidden, invalid, notSupported, required } from "./field-faults.ts";

type Validate<Name extends keyof PluginArgs> = (args: PluginArgs[Name], path: string) => Iterable<string>;

export const validateArguments: { readonly [Name in keyof PluginArgs]: Validate<Name> } = {
  *DefaultPreemption({ minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute }, path) {
    const [percentagePath, absolutePath] = [
      child(path, "minCandidateNodesPercentage"),
      child(path, "minCandidateNodesAbsolute"),
    ];
    if (percentage < 0 || percentage > 100) yield invalid(percentagePath, percentage, "not in valid range [0, 100]");
    if (absolute < 0) yield invalid(absolutePath, absolute, "not in valid range [0, inf)");
    if (percentage !== 0 || absolute !== 0) return;
    yield invalid(percentagePath, 0, "cannot be zero at the same time as minCandidateNodesAbsolute");
    yield invalid(absolutePath, 0, "cannot be zero at the same time as minCandidateNodesPercentage");
  },
  *DynamicResources({ filterTimeout, bindingTimeout }, path) {
    if (parseDurationMs(filterTimeout) < 0) {
      yield invalid(child(path, "filterTimeout"), filterTimeout, "must be zero or positive");
    }
    if (parseDurationMs(bindingTimeout) < 1000) {
      yield invalid(child(path, "bindingTimeout"), bindingTimeout, "must be at least 1 second");
    }
  },
  *InterPodAffinity({ hardPodAffinityWeight: weight }, path) {
    if (weight < 0 || weight > 100) {
      yield invalid(child(path, "hardPodAffinityWeight"), weight, "not in valid range [0, 100]");
    }
  },
  *NodeAffinity({ addedAffinity }, path) {
    const below = child(path, "addedAffinity");
    const terms = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    for (const [index, term] of terms.entries()) {
      yield* checkTerm(term, `${below}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`);
    }
    const preferred = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, { preference }] of preferred.entries()) {
      yield* checkTerm(preference, `${below}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`);
    }
  },
  *NodeResourcesBalancedAllocation({ resources }, path) {
    for (const [index, { name, weight }] of resources.entries()) {
      const below = `${child(path, "resources")}[${index}]`;
      if (resources.findIndex((each) => each.name === name) < index) yield duplicate(`${below}.name`, name);
      if (weight !== 1) yield invalid(`${below}.weight`, weight, "must be 1");
    }
  },
  *NodeResourcesFit({ ignoredResources = [], ignoredResourceGroups = [], scoringStrategy }, path) {
    for (const [index, name] of ignoredResources.entries()) {
      yield* checkLabelName(name, `${child(path, "ignoredResources")}[${index}]`);
    }
    for (const [index, group] of ignoredResourceGroups.entries()) {
      const below = `${child(path, "ignoredResourceGroups")}[${index}]`;
      if (group.includes("/")) yield invalid(below, group, "resource group name can't contain '/'");
      yield* checkLabelName(group, below);
    }
    yield* checkStrategy(scoringStrategy, child(path, "scoringStrategy"));
  },
  *PodTopologySpread({ defaultConstraints = [], defaultingType }, path) {
    const typePath = child(path, "defaultingType");
    if (defaultingType !== "System" && defaultingType !== "List") {
      yield notSupported(typePath, defaultingType, ["System", "List"]);
    } else if (defaultingType === "System" && defaultConstraints.length > 0) {
      yield invalid(typePath, defaultingType, "when .defaultConstraints are not empty");
    }
    const actions = ["DoNotSchedule", "ScheduleAnyway"];
    for (const [index, constraint] of defaultConstraints.entries()) {
      const below = `${child(path, "defaultConstraints")}[${index}]`;
      const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", labelSelector } = constraint;
      if (maxSkew <= 0) yield invalid(`${below}.maxSkew`, maxSkew, "not in valid range (0, inf)");
      if (topologyKey === "") yield required(`${below}.topologyKey`, "can not be empty");
      else yield* checkLabelName(topologyKey, `${below}.topologyKey`);
      if (whenUnsatisfiable === "") yield required(`${below}.whenUnsatisfiable`, "can not be empty");
      else if (!actions.includes(whenUnsatisfiable)) {
        yield notSupported(`${below}.whenUnsatisfiable`, whenUnsatisfiable, actions);
      }
      if (labelSelector !== undefined) {
        yield forbidden(
          `${below}.labelSelector`,
          "constraint must not define a selector, as they deduced for each pod",
        );
      }
      const isSame = (each: typeof constraint) =>
        each.topologyKey === topologyKey && each.whenUnsatisfiable === whenUnsatisfiable;
      if (defaultConstraints.slice(0, index).some(isSame)) {
        yield duplicate(below, `{${topologyKey}, ${whenUnsatisfiable}}`);
      }
    }
  },
  *VolumeBinding({ bindTimeoutSeconds, shape }, path) {
    if (bindTimeoutSeconds < 0) {
      const detail = "invalid BindTimeoutSeconds, should not be a negative value";
      yield invalid(child(path, "bindTimeoutSeconds"), bindTimeoutSeconds, detail);
    }
    if (shape === undefined) return;
    const points = shape.map(({ utilization, score }) => ({ Utilization: utilization, Score: score }));
    const detail = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring";
    yield invalid(child(path, "shape"), points, detail);
  },
};

function* checkLabelName(name: string, path: string) {
  for (const fault of validateQualifiedName(name)) yield invalid(path, name, fault);
}

const strategies = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"];

function* checkStrategy(
  { type, resources, requestedToCapacityRatio: ratio }: PluginArgs["NodeResourcesFit"]["scoringStrategy"],
  path: string,
) {
  if (!strategies.includes(type)) yield notSupported(`${path}.type`, type, strategies);
  yield* checkResources(resources, `${path}.resources`);
  const ratioPath = `${path}.requestedToCapacityRatio`;
  if (type !== "RequestedToCapacityRatio") {
    if (ratio !== undefined) yield forbidden(ratioPath, "must be nil when type is not RequestedToCapacityRatio");
  } else if (ratio === undefined) {
    yield required(ratioPath, "must be specified when type is RequestedToCapacityRatio");
  } else yield* checkShape(ratio.shape ?? [], `${ratioPath}.shape`);
}

function* checkResources(resources: readonly ResourceSpec[], path: string) {
  for (const [index, { name, weight }] of resources.entries()) {
    if (weight > 0 && weight <= 100) continue;
    yield invalid(`${path}[${index}].weight`, weight, `resource weight of ${name} not in valid range (0, 100]`);
  }
}

function* checkShape(shape: readonly ShapePoint[], path: string) {
  if (shape.length === 0) yield required(path, "at least one point must be specified");
  const falling = shape.findIndex(({ utilization }, index) => {
    const before = shape[index - 1];
    return before !== undefined && before.utilization >= utilization;
  });
  if (falling > 0) {
    const value = shape[falling]?.utilization;
    yield invalid(`${path}[${falling}].utilization`, value, "values must be sorted in increasing order");
  }
  for (const [index, { utilization = 0, score = 0 }] of shape.entries()) {
    if (utilization < 0 || utilization > 100) {
      yield invalid(`${path}[${index}].utilization`, utilization, "not in valid range [0, 100]");
    }
    if (score < 0 || score > 10) yield invalid(`${path}[${index}].score`, score, "not in valid range [0, 10]");
  }
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

function* checkTerm({ matchExpressions = [] }: NodeSelectorTerm, path: string) {
  for (const [index, { operator, values = [] }] of matchExpressions.entries()) {
    const below = `${path}.matchExpressions[${index}]`;
    if (!operators.includes(operator)) yield notSupported(`${below}.operator`, operator, operators);
    else if ((operator === "In" || operator === "NotIn") && values.length === 0) {
      yield invalid(`${below}.values`, values, "for 'in', 'notin' operators, values set can't be empty");
    } else if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
      yield invalid(`${below}.values`, values, "values set must be empty for exists and does not exist");
    } else if ((operator === "Gt" || operator === "Lt") && values.length !== 1) {
      yield invalid(`${below}.values`, values, "for 'Gt', 'Lt' operators, exactly one value is required");
    }
  }
}
