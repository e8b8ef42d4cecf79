// Node selectors: of pods' node affinity, and of the nodes a volume can be reached from.
import { type corev1, validateDns1123Subdomain, validateLabelValue } from "@kubeloop/core/api";
import { checkLabelName, type SelectorOptions } from "./labels.ts";
import type { ValidationPath } from "./validation-path.ts";

export function checkNodeSelector(
  selector: corev1.NodeSelector,
  fldPath: ValidationPath,
  options: SelectorOptions = {},
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = fldPath.at("nodeSelectorTerms");
  if (terms.length === 0) termsPath.required("must have at least one node selector term");
  for (const [i, term] of terms.entries()) checkNodeSelectorTerm(term, termsPath.item(i), options);
}

export function checkNodeSelectorTerm(
  term: corev1.NodeSelectorTerm,
  fldPath: ValidationPath,
  options: SelectorOptions = {},
): void {
  for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
    checkLabelRequirement(requirement, fldPath.at("matchExpressions").item(i), options);
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    checkFieldRequirement(requirement, fldPath.at("matchFields").item(i));
  }
}

function checkLabelRequirement(
  { key = "", operator, values = [] }: corev1.NodeSelectorRequirement,
  fldPath: ValidationPath,
  { allowsInvalidValues = false }: SelectorOptions,
): void {
  const valuesPath = fldPath.at("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        valuesPath.required("must be specified when `operator` is 'In' or 'NotIn'");
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        valuesPath.forbidden(why);
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        valuesPath.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    default:
      fldPath.at("operator").invalid(operator ?? "", "not a valid selector operator");
  }
  checkLabelName(key, fldPath.at("key"));
  if (allowsInvalidValues) return;
  for (const [i, value] of values.entries()) {
    valuesPath.item(i).invalidFor(value, validateLabelValue(value));
  }
}

/** Of a node's fields only its name can be asked for. */
function checkFieldRequirement(
  { key = "", operator, values = [] }: corev1.NodeSelectorRequirement,
  fldPath: ValidationPath,
): void {
  if (operator !== "In" && operator !== "NotIn") {
    fldPath.at("operator").invalid(operator ?? "", "not a valid selector operator");
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    fldPath.at("values").required(why);
  }
  if (key !== "metadata.name") {
    fldPath.at("key").invalid(key, "not a valid field selector key");
    return;
  }
  for (const [i, value] of values.entries()) {
    fldPath.at("values").item(i).invalidFor(value, validateDns1123Subdomain(value));
  }
}
