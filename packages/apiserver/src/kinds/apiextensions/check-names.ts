// The names under which custom resources are known.
import { type apiextensionsv1, validateDns1035Label } from "@kubeloop/core/api";
import type { FaultPlace } from "../shared/fault-place.ts";

export function checkDefinitionNames(names: apiextensionsv1.CustomResourceDefinitionNames, place: FaultPlace): void {
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  checkLabel(plural, place.at("plural"));
  checkLabel(singular, place.at("singular"));
  checkMixedCase(kind, place.at("kind"));
  checkMixedCase(listKind, place.at("listKind"));
  checkEach(shortNames, place.at("shortNames"));
  if (kind !== "" && kind === listKind) {
    place.at("listKind").invalid(listKind, "kind and listKind may not be the same");
  }
  checkEach(categories, place.at("categories"));
}

function checkLabel(name: string, place: FaultPlace): void {
  const reasons = name === "" ? [] : validateDns1035Label(name);
  if (reasons.length > 0) place.invalid(name, reasons.join(","));
}

function checkMixedCase(name: string, place: FaultPlace): void {
  const reasons = name === "" ? [] : validateDns1035Label(name.toLowerCase());
  if (reasons.length > 0) {
    place.invalid(name, `may have mixed case, but should otherwise match: ${reasons.join(",")}`);
  }
}

function checkEach(names: readonly string[], place: FaultPlace): void {
  for (const [i, name] of names.entries()) {
    const reasons = validateDns1035Label(name);
    if (reasons.length > 0) place.item(i).invalid(name, reasons.join(","));
  }
}
