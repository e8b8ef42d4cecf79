// Labels, annotations and label selectors where they stand in a spec: templates, affinities, workloads' selectors.
import {
  childPath,
  type Fault,
  type FieldPath,
  forbiddenFault,
  invalidFault,
  itemPath,
  type metav1,
  requiredFault,
  tooLongFault,
  validateLabelValue,
  validateQualifiedName,
} from "@kubeloop/core/api";
import { addInvalid } from "./checks.ts";

export type LabelMap = Readonly<Record<string, string>>;

const largestAnnotations = 256 * 1024;

export interface SelectorOptions {
  /** For what is stored already: values that are no label values stay. */
  readonly allowsInvalidValues?: boolean;
}

export function checkLabels(labels: LabelMap | undefined, path: FieldPath, faults: Fault[]): void {
  for (const [name, value] of Object.entries(labels ?? {})) {
    checkLabelName(name, path, faults);
    addInvalid(faults, path, value, validateLabelValue(value));
  }
}

export function checkLabelName(name: string, path: FieldPath, faults: Fault[]): void {
  addInvalid(faults, path, name, validateQualifiedName(name));
}

export function checkAnnotations(annotations: LabelMap | undefined, path: FieldPath, faults: Fault[]): void {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations ?? {})) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    addInvalid(faults, path, name, validateQualifiedName(name.toLowerCase()));
  }
  if (bytes > largestAnnotations) faults.push(tooLongFault(path, largestAnnotations));
}

/** An absent selector is right. */
export function checkLabelSelector(
  selector: metav1.LabelSelector | undefined,
  path: FieldPath,
  faults: Fault[],
  options: SelectorOptions = {},
): void {
  if (selector === undefined || selector === null) return;
  checkLabels(selector.matchLabels, childPath(path, "matchLabels"), faults);
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries()) {
    checkRequirement(requirement, itemPath(childPath(path, "matchExpressions"), i), faults, options);
  }
}

function checkRequirement(
  { key, operator, values = [] }: metav1.LabelSelectorRequirement,
  path: FieldPath,
  faults: Fault[],
  { allowsInvalidValues = false }: SelectorOptions,
): void {
  const valuesPath = childPath(path, "values");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      faults.push(requiredFault(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      faults.push(forbiddenFault(valuesPath, why));
    }
  } else {
    faults.push(invalidFault(childPath(path, "operator"), operator ?? "", "not a valid selector operator"));
  }
  checkLabelName(key ?? "", childPath(path, "key"), faults);
  if (allowsInvalidValues) return;
  for (const [i, value] of values.entries()) {
    addInvalid(faults, itemPath(valuesPath, i), value, validateLabelValue(value));
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
