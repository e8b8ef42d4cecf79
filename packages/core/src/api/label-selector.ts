// Label selectors, ready for matching: a list of requirements that must all match, or "nothing". Made from text
// (label-selector-parse.ts) or from a LabelSelector object (label-selector-object.ts), sorted by key, so that equal selectors print the same text.
//
// Absent keys: `!=`, `notin` and `!` match an object without the label; all others do not. Matching allocates nothing.
import { assertNever, KubeloopError } from "../base/errors.ts";
import {
  childPath,
  type Fault,
  type FieldPath,
  invalidFault,
  itemPath,
  notSupportedFault,
  printFaults,
} from "./field-errors.ts";
import { validateLabelValue, validateQualifiedName } from "./validation.ts";

/** The operators as in selector text; `gt` and `lt` are `>` and `<`. */
export type SelectorOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

export type Selector =
  | { readonly selects: "nothing" }
  | { readonly selects: "matching"; readonly requirements: readonly LabelRequirement[] };

export interface Labels {
  readonly [key: string]: string;
}

export class SelectorError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "InvalidSelector", retry: "never" });
  }
}

export const everythingSelector: Selector = { selects: "matching", requirements: [] };
/** The meaning of an absent LabelSelector. It prints as empty text, which parses as everything: keep the object. */
export const nothingSelector: Selector = { selects: "nothing" };

export const binaryOperators: readonly SelectorOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt"];
const allOperators: readonly SelectorOperator[] = [...binaryOperators, "exists", "!"];

/** Returns a checked requirement. Throws a SelectorError that names every fault. */
export function newRequirement(requirement: LabelRequirement, path?: FieldPath): LabelRequirement {
  const faults = findRequirementFaults(requirement, path);
  if (faults.length > 0) throw new SelectorError(printFaults(faults));
  return requirement;
}

/** Requirements are sorted by key. */
export function selectorOf(requirements: readonly LabelRequirement[]): Selector {
  return { selects: "matching", requirements: requirements.toSorted(byKey) };
}

/** Selects objects that have these labels. Values are not checked. */
export function selectorFromLabels(labels: Labels | undefined): Selector {
  if (labels === undefined) return everythingSelector;
  return selectorOf(Object.entries(labels).map(([key, value]) => ({ key, operator: "=", values: [value] })));
}

export function addRequirements(selector: Selector, requirements: readonly LabelRequirement[]): Selector {
  if (selector.selects === "nothing") return selector;
  return selectorOf([...selector.requirements, ...requirements]);
}

export function isEverything(selector: Selector): boolean {
  return selector.selects === "matching" && selector.requirements.length === 0;
}

export function matchesSelector(selector: Selector, labels: Labels | undefined): boolean {
  if (selector.selects === "nothing") return false;
  for (const requirement of selector.requirements) if (!matchesRequirement(requirement, labels)) return false;
  return true;
}

export function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Labels | undefined): boolean {
  const found: unknown = labels?.[key];
  // A value that is not text was inherited ("constructor"), so the label is absent.
  const value = typeof found === "string" ? found : undefined;
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt":
      return value !== undefined && values.length === 1 && isBeyond(value, operator, values[0] ?? "");
    default:
      return assertNever(operator);
  }
}

/** Returns the only value that `key` may have, if the selector requires one: then an index can be used. */
export function requiredValue(selector: Selector, key: string): string | undefined {
  if (selector.selects === "nothing") return undefined;
  const requirement = selector.requirements.find((candidate) => candidate.key === key);
  const isExact = requirement?.operator === "=" || requirement?.operator === "==" || requirement?.operator === "in";
  return isExact && requirement.values.length === 1 ? requirement.values[0] : undefined;
}

/** Prints the canonical text. Values of a set are sorted. */
export function printSelector(selector: Selector): string {
  return selector.selects === "nothing" ? "" : selector.requirements.map(printRequirement).join(",");
}

export function printRequirement({ key, operator, values }: LabelRequirement): string {
  const value = values.length === 1 ? (values[0] ?? "") : values.toSorted().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${value})`;
    case "gt":
      return `${key}>${value}`;
    case "lt":
      return `${key}<${value}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${value}`;
    default:
      return assertNever(operator);
  }
}

/** Returns all faults of a requirement. */
export function findRequirementFaults({ key, operator, values }: LabelRequirement, path?: FieldPath): Fault[] {
  const faults: Fault[] = [];
  const keyFaults = validateQualifiedName(key);
  if (keyFaults.length > 0) faults.push(invalidFault(childPath(path, "key"), key, keyFaults.join("; ")));
  const valuesPath = childPath(path, "values");
  const countFault = findCountFault(operator, values.length);
  if (countFault !== undefined) faults.push(invalidFault(valuesPath, values.length === 0 ? null : values, countFault));
  if (!allOperators.includes(operator))
    faults.push(notSupportedFault(childPath(path, "operator"), operator, allOperators));
  if (operator === "gt" || operator === "lt") {
    values.forEach((value, index) => {
      if (toInt64(value) !== undefined) return;
      const fault = "for 'Gt', 'Lt' operators, the value must be an integer";
      faults.push(invalidFault(itemPath(valuesPath, index), value, fault));
    });
  }
  values.forEach((value, index) => {
    const valueFaults = validateLabelValue(value);
    if (valueFaults.length === 0) return;
    faults.push(invalidFault(itemPath(itemPath(valuesPath, index), key), value, valueFaults.join("; ")));
  });
  return faults;
}

function findCountFault(operator: SelectorOperator, count: number): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case "=":
    case "==":
    case "!=":
      return count === 1 ? undefined : "exact-match compatibility requires one single value";
    case "exists":
    case "!":
      return count === 0 ? undefined : "values set must be empty for exists and does not exist";
    case "gt":
    case "lt":
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
    default:
      return undefined;
  }
}

function isBeyond(value: string, operator: "gt" | "lt", bound: string): boolean {
  const number = toInt64(value);
  const limit = toInt64(bound);
  if (number === undefined || limit === undefined) return false;
  return operator === "gt" ? number > limit : number < limit;
}

function toInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,40}$/.test(text)) return undefined;
  const number = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

function byKey(left: LabelRequirement, right: LabelRequirement): number {
  if (left.key === right.key) return 0;
  return left.key < right.key ? -1 : 1;
}
