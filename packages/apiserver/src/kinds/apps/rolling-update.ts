// How many pods may be missing or surplus during an update: numbers, or shares of all.
import { type metav1, validatePercent } from "@kubeloop/core/api";
import { checkNonNegative } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type IntOrString = metav1.IntOrString | undefined;

export function checkAmountOrShare(value: IntOrString, fldPath: ValidationPath): void {
  if (typeof value === "string") fldPath.invalidFor(value, validatePercent(value));
  else checkNonNegative(value, fldPath);
}

export function checkAtMostAll(value: IntOrString, fldPath: ValidationPath): void {
  if (isShare(value) && numberOf(value) > 100) fldPath.invalid(value, "must not be greater than 100%");
}

/** Of a number in words too, though it may not be given so; zero for any other text. */
export function numberOf(value: IntOrString): number {
  if (typeof value === "number") return value;
  if (isShare(value)) return Number(value.slice(0, -1));
  return value !== undefined && /^[+-]?\d+$/.test(value) ? Number(value) : 0;
}

function isShare(value: IntOrString): value is string {
  return typeof value === "string" && validatePercent(value).length === 0;
}
