// Converts between selectors and the LabelSelector objects of specs (`matchLabels`, `matchExpressions`).
import type { LabelSelector, LabelSelectorRequirement } from "./generated/types/meta/v1.ts";
import {
  type LabelRequirement,
  newRequirement,
  nothingSelector,
  printSelector,
  type Selector,
  SelectorError,
  type SelectorOperator,
  selectorOf,
} from "./label-selector.ts";
import { quote } from "./quote.ts";

/** An absent object selects nothing, an empty one everything. Throws a SelectorError. */
export function fromLabelSelector(selector: LabelSelector | null | undefined): Selector {
  if (selector === undefined || selector === null) return nothingSelector;
  const labels = Object.entries(selector.matchLabels ?? {});
  return selectorOf([
    ...labels.map(([key, value]) => newRequirement({ key, operator: "=", values: [value] })),
    ...(selector.matchExpressions ?? []).map(fromExpression),
  ]);
}

/** Throws for `>` and `<`, which the object cannot express, and for "nothing", which is an absent object. */
export function toLabelSelector(selector: Selector): LabelSelector {
  if (selector.selects === "nothing") throw new SelectorError("a selector of nothing has no LabelSelector");
  const labels: [string, string][] = [];
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const { key, operator, values } of selector.requirements) {
    if (operator === "=" || operator === "==") labels.push([key, values[0] ?? ""]);
    else matchExpressions.push(toExpression(key, operator, values));
  }
  return {
    ...(labels.length === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

/** Prints for people: "<none>" if everything is selected, "<error>" if the object is invalid. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    return printSelector(fromLabelSelector(selector)) || "<none>";
  } catch (error) {
    if (error instanceof SelectorError) return "<error>";
    throw error;
  }
}

function fromExpression({ key, operator, values = [] }: LabelSelectorRequirement): LabelRequirement {
  const translated = expressionOperators.get(operator);
  if (translated === undefined) throw new SelectorError(`${quote(operator)} is not a valid label selector operator`);
  return newRequirement({ key, operator: translated, values });
}

function toExpression(key: string, operator: SelectorOperator, values: readonly string[]): LabelSelectorRequirement {
  if (operator === "gt" || operator === "lt") {
    throw new SelectorError(`${quote(operator)} isn't supported in label selectors`);
  }
  // The object has no `!=`; `notin` with one value means the same.
  const translated = expressionNames.get(operator === "!=" ? "notin" : operator) ?? "";
  return values.length === 0 ? { key, operator: translated } : { key, operator: translated, values: values.toSorted() };
}

const expressionOperators = new Map<string, SelectorOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);
const expressionNames = new Map([...expressionOperators].map(([name, operator]) => [operator, name]));
