// Node selectors: of pods' node affinity, and of the nodes a volume can be reached from.
import { type corev1, validateDns1123Subdomain, validateLabelValue } from "@kubeloop/core/api";
import type { FaultPlace } from "./fault-place.ts";
import { checkLabelName, type SelectorOptions } from "./labels.ts";

export function checkNodeSelector(
  selector: corev1.NodeSelector,
  place: FaultPlace,
  options: SelectorOptions = {},
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPlace = place.at("nodeSelectorTerms");
  if (terms.length === 0) termsPlace.required("must have at least one node selector term");
  for (const [i, term] of terms.entries()) checkNodeSelectorTerm(term, termsPlace.item(i), options);
}

export function checkNodeSelectorTerm(
  term: corev1.NodeSelectorTerm,
  place: FaultPlace,
  options: SelectorOptions = {},
): void {
  for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
    checkLabelRequirement(requirement, place.at("matchExpressions").item(i), options);
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    checkFieldRequirement(requirement, place.at("matchFields").item(i));
  }
}

function checkLabelRequirement(
  { key = "", operator, values = [] }: corev1.NodeSelectorRequirement,
  place: FaultPlace,
  { allowsInvalidValues = false }: SelectorOptions,
): void {
  const valuesPlace = place.at("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        valuesPlace.required("must be specified when `operator` is 'In' or 'NotIn'");
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        valuesPlace.forbidden(why);
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        valuesPlace.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    default:
      place.at("operator").invalid(operator ?? "", "not a valid selector operator");
  }
  checkLabelName(key, place.at("key"));
  if (allowsInvalidValues) return;
  for (const [i, value] of values.entries()) {
    valuesPlace.item(i).invalidFor(value, validateLabelValue(value));
  }
}

/** Of a node's fields only its name can be asked for. */
function checkFieldRequirement(
  { key = "", operator, values = [] }: corev1.NodeSelectorRequirement,
  place: FaultPlace,
): void {
  if (operator !== "In" && operator !== "NotIn") {
    place.at("operator").invalid(operator ?? "", "not a valid selector operator");
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    place.at("values").required(why);
  }
  if (key !== "metadata.name") {
    place.at("key").invalid(key, "not a valid field selector key");
    return;
  }
  for (const [i, value] of values.entries()) {
    place.at("values").item(i).invalidFor(value, validateDns1123Subdomain(value));
  }
}
