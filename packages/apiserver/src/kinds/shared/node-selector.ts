// Node selectors: of pods' node affinity, and of the nodes a volume can be reached from.
import {
  childPath,
  type corev1,
  type Fault,
  type FieldPath,
  forbiddenFault,
  invalidFault,
  itemPath,
  requiredFault,
  validateDns1123Subdomain,
  validateLabelValue,
} from "@kubeloop/core/api";
import { addInvalid } from "./checks.ts";
import { checkLabelName, type SelectorOptions } from "./labels.ts";

export function checkNodeSelector(
  selector: corev1.NodeSelector,
  path: FieldPath,
  faults: Fault[],
  options: SelectorOptions = {},
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = childPath(path, "nodeSelectorTerms");
  if (terms.length === 0) faults.push(requiredFault(termsPath, "must have at least one node selector term"));
  for (const [i, term] of terms.entries()) checkNodeSelectorTerm(term, itemPath(termsPath, i), faults, options);
}

export function checkNodeSelectorTerm(
  term: corev1.NodeSelectorTerm,
  path: FieldPath,
  faults: Fault[],
  options: SelectorOptions = {},
): void {
  for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
    checkLabelRequirement(requirement, itemPath(childPath(path, "matchExpressions"), i), faults, options);
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    checkFieldRequirement(requirement, itemPath(childPath(path, "matchFields"), i), faults);
  }
}

function checkLabelRequirement(
  { key = "", operator, values = [] }: corev1.NodeSelectorRequirement,
  path: FieldPath,
  faults: Fault[],
  { allowsInvalidValues = false }: SelectorOptions,
): void {
  const valuesPath = childPath(path, "values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        faults.push(requiredFault(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        faults.push(forbiddenFault(valuesPath, why));
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        faults.push(requiredFault(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      faults.push(invalidFault(childPath(path, "operator"), operator ?? "", "not a valid selector operator"));
  }
  checkLabelName(key, childPath(path, "key"), faults);
  if (allowsInvalidValues) return;
  for (const [i, value] of values.entries()) {
    addInvalid(faults, itemPath(valuesPath, i), value, validateLabelValue(value));
  }
}

/** Of a node's fields only its name can be asked for. */
function checkFieldRequirement(
  { key = "", operator, values = [] }: corev1.NodeSelectorRequirement,
  path: FieldPath,
  faults: Fault[],
): void {
  if (operator !== "In" && operator !== "NotIn") {
    faults.push(invalidFault(childPath(path, "operator"), operator ?? "", "not a valid selector operator"));
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    faults.push(requiredFault(childPath(path, "values"), why));
  }
  if (key !== "metadata.name") {
    faults.push(invalidFault(childPath(path, "key"), key, "not a valid field selector key"));
    return;
  }
  for (const [i, value] of values.entries()) {
    addInvalid(faults, itemPath(childPath(path, "values"), i), value, validateDns1123Subdomain(value));
  }
}
