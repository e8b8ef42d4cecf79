// Which nodes a pod may run on by its `nodeSelector` and required node affinity, and how much it prefers a node. Terms are
// ORed; the requirements within a term are ANDed; an empty term matches no node. A malformed term matches no node either,
// and is not reported, because validation is the API server's job.
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
} from "../api/generated/types/core/v1.ts";
import {
  findRequirementFaults,
  type LabelRequirement,
  matchesRequirement,
  type SelectorOperator,
} from "../api/label-selector.ts";

type SelectableNode = Pick<Node, "metadata">;

/** Both `nodeSelector` and required affinity must match. */
export function matchesNodeAffinity(pod: Pick<Pod, "spec">, node: SelectableNode): boolean {
  const { nodeSelector, affinity } = pod.spec;
  for (const [key, value] of Object.entries(nodeSelector ?? {})) if (labelOf(node, key) !== value) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}

export function matchesNodeSelector(selector: NodeSelector, node: SelectableNode): boolean {
  return selector.nodeSelectorTerms.some((term) => matchesNodeSelectorTerm(term, node));
}

export function matchesNodeSelectorTerm(term: NodeSelectorTerm, node: SelectableNode): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matchesLabels(requirement, node)) &&
    matchFields.every((requirement) => matchesFields(requirement, node))
  );
}

/** Returns the sum of the weights of the preferred terms that match. */
export function nodeAffinityScore(pod: Pick<Pod, "spec">, node: SelectableNode): number {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.reduce(
    (score, { weight, preference }) => (matchesNodeSelectorTerm(preference, node) ? score + weight : score),
    0,
  );
}

const operators = new Map<string, SelectorOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

// Parsing a requirement costs more than matching it, and each requirement is matched against every node, so parsed ones are cached.
const readings = new WeakMap<NodeSelectorRequirement, LabelRequirement | undefined>();

function matchesLabels(requirement: NodeSelectorRequirement, node: SelectableNode): boolean {
  if (!readings.has(requirement)) readings.set(requirement, toRequirement(requirement));
  const reading = readings.get(requirement);
  return reading !== undefined && matchesRequirement(reading, node.metadata.labels);
}

/** Undefined if the requirement is malformed. */
function toRequirement({ key, operator, values = [] }: NodeSelectorRequirement): LabelRequirement | undefined {
  const translated = operators.get(operator);
  if (translated === undefined) return undefined;
  const requirement = { key, operator: translated, values };
  return findRequirementFaults(requirement).length === 0 ? requirement : undefined;
}

/** Only `metadata.name`, In or NotIn one value, is supported. A node without a name (a node template) matches any such requirement. */
function matchesFields({ key, operator, values = [] }: NodeSelectorRequirement, node: SelectableNode): boolean {
  if (values.length !== 1 || (operator !== "In" && operator !== "NotIn")) return false;
  const { name = "" } = node.metadata;
  if (name === "") return true;
  const isEqual = (key === "metadata.name" ? name : "") === values[0];
  return isEqual === (operator === "In");
}

function labelOf(node: SelectableNode, key: string): string | undefined {
  const value: unknown = node.metadata.labels?.[key];
  return typeof value === "string" ? value : undefined;
}
