// Conditions, variables and the like, as far as one can tell without reading their expressions: that comes with CEL.
import type { admissionregistrationv1 } from "@kubeloop/core/api";
import { validateQualifiedName } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

const mostConditions = 64;
const identifierPattern = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reservedWords = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Go's idea of nothing but space. */
export const isBlank = (text: string | undefined): boolean => (text ?? "").trim() === "";

export function checkMatchConditions(
  conditions: readonly admissionregistrationv1.MatchCondition[] | undefined,
  fldPath: ValidationPath,
): void {
  const given = conditions ?? [];
  if (given.length > mostConditions) fldPath.tooMany(given.length, mostConditions);
  const names = new Set<string>();
  for (const [i, { name, expression }] of given.entries()) {
    const itemPath = fldPath.item(i);
    if (isBlank(expression)) itemPath.at("expression").required();
    if (isAbsent(name)) {
      itemPath.at("name").required();
      continue;
    }
    itemPath.at("name").invalidFor(name, validateQualifiedName(name));
    if (names.has(name)) itemPath.at("name").duplicate(name);
    names.add(name);
  }
}

export function checkVariables(
  variables: readonly admissionregistrationv1.Variable[] | undefined,
  fldPath: ValidationPath,
): void {
  for (const [i, { name, expression }] of (variables ?? []).entries()) {
    const itemPath = fldPath.item(i);
    if (isBlank(name)) itemPath.at("name").required("name is not specified");
    else if (!identifierPattern.test(name) || reservedWords.has(name)) {
      itemPath.at("name").invalid(name, "must be a valid CEL identifier");
    }
    if (isBlank(expression)) itemPath.at("expression").required("expression is not specified");
  }
}
