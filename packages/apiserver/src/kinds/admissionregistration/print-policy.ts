// Policies and their bindings in tables.
import type { admissionregistrationv1, metav1 } from "@kubeloop/core/api";

export function printParamKind(kind: admissionregistrationv1.ParamKind | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

export function printParamRef(reference: admissionregistrationv1.ParamRef | undefined): string {
  const { name = "", namespace = "", selector } = reference ?? {};
  if (name !== "") return `${namespace || "*"}/${name}`;
  return selector === undefined ? "<unset>" : printSelector(selector);
}

/** As Go prints the structure. */
function printSelector({ matchLabels = {}, matchExpressions = [] }: metav1.LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value},`)
    .join("");
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
    )
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
