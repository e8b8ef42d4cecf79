// Field errors: paths ("spec.containers[0].name", "metadata.labels[app]") and faults
// with Kubernetes' texts and cause types. Paths are linked, not joined, so that validating a valid object
// builds no strings.
import { quote } from "./quote.ts";

/** A path in an object. Undefined is the root, and prints as "<nil>". */
export interface FieldPath {
  readonly parent: FieldPath | undefined;
  readonly name: string;
  /** Whether `name` is a list index or a map key. */
  readonly isSubscript: boolean;
}

export function fieldPath(name: string, ...names: string[]): FieldPath {
  return childPath(undefined, name, ...names);
}

export function childPath(parent: FieldPath | undefined, ...names: string[]): FieldPath {
  let path = parent;
  for (const name of names) path = { parent: path, name, isSubscript: false };
  return path ?? { parent: undefined, name: "", isSubscript: false };
}

/** The path of a list item, by index, or of a map entry, by key. */
export function itemPath(parent: FieldPath | undefined, item: number | string): FieldPath {
  return { parent, name: String(item), isSubscript: true };
}

export function printPath(path: FieldPath | undefined): string {
  if (path === undefined) return "<nil>";
  const before = path.parent === undefined ? "" : printPath(path.parent);
  if (path.isSubscript) return `${before}[${path.name}]`;
  return path.parent === undefined ? path.name : `${before}.${path.name}`;
}

/** The API's name of each fault type (`cause.reason`), with the beginning of its message. */
const faultWords = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  InternalError: "Internal error",
  FieldValueTypeInvalid: "Invalid value",
} as const;

export type FaultType = keyof typeof faultWords;

export interface Fault {
  readonly type: FaultType;
  readonly field: string;
  readonly detail: string;
  /** The value found there. Absent for fault types that do not print it. */
  readonly value?: unknown;
}

export function invalidFault(path: FieldPath | undefined, value: unknown, detail: string): Fault {
  return { type: "FieldValueInvalid", field: printPath(path), detail, value };
}

/** The value is of the wrong type. */
export function typeInvalidFault(path: FieldPath | undefined, value: unknown, detail: string): Fault {
  return { type: "FieldValueTypeInvalid", field: printPath(path), detail, value };
}

export function requiredFault(path: FieldPath | undefined, detail = ""): Fault {
  return { type: "FieldValueRequired", field: printPath(path), detail };
}

export function duplicateFault(path: FieldPath | undefined, value: unknown): Fault {
  return { type: "FieldValueDuplicate", field: printPath(path), detail: "", value };
}

/** The value refers to something that does not exist. */
export function notFoundFault(path: FieldPath | undefined, value: unknown): Fault {
  return { type: "FieldValueNotFound", field: printPath(path), detail: "", value };
}

export function notSupportedFault(path: FieldPath | undefined, value: unknown, supported: readonly string[]): Fault {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(quote).join(", ")}`;
  return { type: "FieldValueNotSupported", field: printPath(path), detail, value };
}

export function forbiddenFault(path: FieldPath | undefined, detail: string): Fault {
  return { type: "FieldValueForbidden", field: printPath(path), detail };
}

/** A negative limit is not printed. */
export function tooLongFault(path: FieldPath | undefined, maxBytes: number): Fault {
  const detail = maxBytes < 0 ? "value is too long" : `may not be more than ${count(maxBytes, "byte")}`;
  return { type: "FieldValueTooLong", field: printPath(path), detail };
}

export function tooLongCharactersFault(path: FieldPath | undefined, maxCharacters: number): Fault {
  const detail = maxCharacters < 0 ? "value is too long" : `may not be more than ${count(maxCharacters, "character")}`;
  return { type: "FieldValueTooLong", field: printPath(path), detail };
}

export function tooShortFault(path: FieldPath | undefined, minCharacters: number): Fault {
  const detail = minCharacters < 0 ? "value is too short" : `must be at least ${count(minCharacters, "character")}`;
  return { type: "FieldValueTooShort", field: printPath(path), detail };
}

/** Negative numbers are not printed. */
export function tooManyFault(path: FieldPath | undefined, actual: number, max: number): Fault {
  const detail = max < 0 ? "has too many items" : `must have at most ${count(max, "item")}`;
  const fault = { type: "FieldValueTooMany", field: printPath(path), detail } as const;
  return actual < 0 ? fault : { ...fault, value: actual };
}

export function tooFewFault(path: FieldPath | undefined, actual: number, min: number): Fault {
  const detail = min < 0 ? "has too few items" : `must have at least ${count(min, "item")}`;
  return { type: "FieldValueTooFew", field: printPath(path), detail, value: actual };
}

/** Validation itself failed: not a fault of the user. */
export function internalFault(path: FieldPath | undefined, error: Error): Fault {
  return { type: "InternalError", field: printPath(path), detail: error.message };
}

/** Prints the fault without its field: "Invalid value: \"x\": must be …". */
export function printFaultBody(fault: Fault): string {
  const value = "value" in fault ? `: ${printValue(fault.value)}` : "";
  const detail = fault.detail === "" ? "" : `: ${fault.detail}`;
  return `${faultWords[fault.type]}${value}${detail}`;
}

export function printFault(fault: Fault): string {
  return `${fault.field}: ${printFaultBody(fault)}`;
}

/** Prints all faults in one message, without duplicates; in brackets if there are several. */
export function printFaults(faults: readonly Fault[]): string {
  const messages = [...new Set(faults.map(printFault))];
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}

function printValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  const json = JSON.stringify(value) ?? "null";
  return json.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
