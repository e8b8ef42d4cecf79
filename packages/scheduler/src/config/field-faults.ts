// Faults of fields that are named by a text, printed in the words of core's field errors.
import {
  duplicateFault,
  fieldPath,
  forbiddenFault,
  invalidFault,
  notSupportedFault,
  printFault,
  requiredFault,
} from "@kubeloop/core/api";

export const invalid = (path: string, value: unknown, detail: string): string =>
  printFault(invalidFault(fieldPath(path), value, detail));

export const required = (path: string, detail = ""): string => printFault(requiredFault(fieldPath(path), detail));

export const duplicate = (path: string, value: unknown): string => printFault(duplicateFault(fieldPath(path), value));

export const forbidden = (path: string, detail: string): string => printFault(forbiddenFault(fieldPath(path), detail));

export const notSupported = (path: string, value: string, supported: readonly string[]): string =>
  printFault(notSupportedFault(fieldPath(path), value, supported));

/** The path of a field below another one, which may be empty. */
export const child = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
