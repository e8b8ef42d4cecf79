// Labels, annotations and label selectors where they stand in a spec: templates, affinities, workloads' selectors.
import { type metav1, validateLabelValue, validateQualifiedName } from "@kubeloop/core/api";
import type { ValidationPath } from "./validation-path.ts";

export type LabelMap = Readonly<Record<string, string>>;

const largestAnnotations = 256 * 1024;

export interface SelectorOptions {
  /** For what is stored already: values that are no label values stay. */
  readonly allowsInvalidValues?: boolean;
}

export function checkLabels(labels: LabelMap | undefined, fldPath: ValidationPath): void {
  for (const [name, value] of Object.entries(labels ?? {})) {
    checkLabelName(name, fldPath);
    fldPath.invalidFor(value, validateLabelValue(value));
  }
}

export function checkLabelName(name: string, fldPath: ValidationPath): void {
  fldPath.invalidFor(name, validateQualifiedName(name));
}

export function checkAnnotations(annotations: LabelMap | undefined, fldPath: ValidationPath): void {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations ?? {})) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    fldPath.invalidFor(name, validateQualifiedName(name.toLowerCase()));
  }
  if (bytes > largestAnnotations) fldPath.tooLong(largestAnnotations);
}

/** An absent selector is right. */
export function checkLabelSelector(
  selector: metav1.LabelSelector | undefined,
  fldPath: ValidationPath,
  options: SelectorOptions = {},
): void {
  if (selector === undefined || selector === null) return;
  checkLabels(selector.matchLabels, fldPath.at("matchLabels"));
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries()) {
    checkRequirement(requirement, fldPath.at("matchExpressions").item(i), options);
  }
}

function checkRequirement(
  { key, operator, values = [] }: metav1.LabelSelectorRequirement,
  fldPath: ValidationPath,
  { allowsInvalidValues = false }: SelectorOptions,
): void {
  const valuesPath = fldPath.at("values");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      valuesPath.required("must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      valuesPath.forbidden(why);
    }
  } else {
    fldPath.at("operator").invalid(operator ?? "", "not a valid selector operator");
  }
  checkLabelName(key ?? "", fldPath.at("key"));
  if (allowsInvalidValues) return;
  for (const [i, value] of values.entries()) {
    valuesPath.item(i).invalidFor(value, validateLabelValue(value));
  }
}

/** Whether an expression names a value that no label can have: such selectors may stay, but not come. */
export function hasInvalidLabelValue(selector: metav1.LabelSelector | undefined): boolean {
  const expressions = selector?.matchExpressions ?? [];
  return expressions.some(({ values = [] }) => values.some((value) => validateLabelValue(value).length > 0));
}

export function isEmptySelector(selector: metav1.LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}

/** "a=b,c=d", sorted; "<none>" for none: as tables show them. */
export function formatLabels(labels: LabelMap | undefined): string {
  const entries = Object.entries(labels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, value]) => `${name}=${value}`).join(",") || "<none>";
}
