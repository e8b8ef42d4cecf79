// The smallest checks of values. Every check of a kind's rules adds what it finds to the list it is given, in the words users of the
// API know, and says nothing about what is right.
import {
  type Fault,
  type FieldPath,
  invalidFault,
  notSupportedFault,
  requiredFault,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubeloop/core/api";

/** What Go prints as absent: not there, null, or empty text. */
export function isAbsent(text: string | null | undefined): text is "" | null | undefined {
  return text === undefined || text === null || text === "";
}

/** One fault for each reason. */
export function addInvalid(faults: Fault[], path: FieldPath, value: unknown, reasons: readonly string[]): void {
  for (const reason of reasons) faults.push(invalidFault(path, value, reason));
}

/** Text that must be there. */
export function checkPresent(text: string | undefined, path: FieldPath, faults: Fault[]): void {
  if (isAbsent(text)) faults.push(requiredFault(path));
}

/** Zero where it is absent. */
export function checkNonNegative(value: number | undefined, path: FieldPath, faults: Fault[]): void {
  if (value !== undefined && value < 0) faults.push(invalidFault(path, value, "must be greater than or equal to 0"));
}

export function checkPositive(value: number | undefined, path: FieldPath, faults: Fault[]): void {
  if ((value ?? 0) <= 0) faults.push(invalidFault(path, value ?? 0, "must be greater than zero"));
}

/** One of a few words, which must be there. The words are told in the order given. */
export function checkChoice(
  value: string | undefined,
  choices: readonly string[],
  path: FieldPath,
  faults: Fault[],
): void {
  if (isAbsent(value)) faults.push(requiredFault(path));
  else if (!choices.includes(value)) faults.push(notSupportedFault(path, value, choices));
}

/** As `checkChoice`, but for a value that need not be there. */
export function checkOptionalChoice(
  value: string | undefined,
  choices: readonly string[],
  path: FieldPath,
  faults: Fault[],
): void {
  if (value !== undefined && !choices.includes(value)) faults.push(notSupportedFault(path, value, choices));
}

export function checkDnsLabel(text: string, path: FieldPath, faults: Fault[]): void {
  addInvalid(faults, path, text, validateDns1123Label(text));
}

export function checkDnsSubdomain(text: string, path: FieldPath, faults: Fault[]): void {
  addInvalid(faults, path, text, validateDns1123Subdomain(text));
}
