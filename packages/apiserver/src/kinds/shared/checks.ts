// The smallest checks of values. Every check of a kind's rules adds what it finds to the list it is given, in the words users of the
// API know, and says nothing about what is right.
import { validateDns1123Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import type { ValidationPath } from "./validation-path.ts";

/** What Go prints as absent: not there, null, or empty text. */
export function isAbsent(text: string | null | undefined): text is "" | null | undefined {
  return text === undefined || text === null || text === "";
}

/** Text that must be there. */
export function checkPresent(text: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(text)) fldPath.required();
}

/** Zero where it is absent. */
export function checkNonNegative(value: number | undefined, fldPath: ValidationPath): void {
  if (value !== undefined && value < 0) fldPath.invalid(value, "must be greater than or equal to 0");
}

export function checkPositive(value: number | undefined, fldPath: ValidationPath): void {
  if ((value ?? 0) <= 0) fldPath.invalid(value ?? 0, "must be greater than zero");
}

/** One of a few words, which must be there. The words are reported in the order given. */
export function checkChoice(value: string | undefined, fldPath: ValidationPath, choices: readonly string[]): void {
  if (isAbsent(value)) fldPath.required();
  else if (!choices.includes(value)) fldPath.notSupported(value, choices);
}

/** As `checkChoice`, but for a value that need not be there. */
export function checkOptionalChoice(
  value: string | undefined,
  fldPath: ValidationPath,
  choices: readonly string[],
): void {
  if (value !== undefined && !choices.includes(value)) fldPath.notSupported(value, choices);
}

export function checkDnsLabel(text: string, fldPath: ValidationPath): void {
  fldPath.invalidFor(text, validateDns1123Label(text));
}

export function checkDnsSubdomain(text: string, fldPath: ValidationPath): void {
  fldPath.invalidFor(text, validateDns1123Subdomain(text));
}
