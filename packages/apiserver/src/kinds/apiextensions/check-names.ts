// The names under which custom resources are known.
import { type apiextensionsv1, validateDns1035Label } from "@kubeloop/core/api";
import type { ValidationPath } from "../shared/validation-path.ts";

export function checkDefinitionNames(
  names: apiextensionsv1.CustomResourceDefinitionNames,
  fldPath: ValidationPath,
): void {
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  checkLabel(plural, fldPath.at("plural"));
  checkLabel(singular, fldPath.at("singular"));
  checkMixedCase(kind, fldPath.at("kind"));
  checkMixedCase(listKind, fldPath.at("listKind"));
  checkEach(shortNames, fldPath.at("shortNames"));
  if (kind !== "" && kind === listKind) {
    fldPath.at("listKind").invalid(listKind, "kind and listKind may not be the same");
  }
  checkEach(categories, fldPath.at("categories"));
}

function checkLabel(name: string, fldPath: ValidationPath): void {
  const reasons = name === "" ? [] : validateDns1035Label(name);
  if (reasons.length > 0) fldPath.invalid(name, reasons.join(","));
}

function checkMixedCase(name: string, fldPath: ValidationPath): void {
  const reasons = name === "" ? [] : validateDns1035Label(name.toLowerCase());
  if (reasons.length > 0) {
    fldPath.invalid(name, `may have mixed case, but should otherwise match: ${reasons.join(",")}`);
  }
}

function checkEach(names: readonly string[], fldPath: ValidationPath): void {
  for (const [i, name] of names.entries()) {
    const reasons = validateDns1035Label(name);
    if (reasons.length > 0) fldPath.item(i).invalid(name, reasons.join(","));
  }
}
