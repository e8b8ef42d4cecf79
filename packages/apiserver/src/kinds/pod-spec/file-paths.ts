// Paths inside volumes and containers: where they may lead.
import type { ValidationPath } from "../shared/validation-path.ts";

const modeText = "must be a number between 0 and 0777 (octal), both inclusive";

export function checkNoBacksteps(text: string, fldPath: ValidationPath): void {
  if (text.split("/").includes("..")) fldPath.invalid(text, "must not contain '..'");
}

/** Relative, and never upwards. */
export function checkDescendingPath(text: string, fldPath: ValidationPath): void {
  if (text.startsWith("/")) fldPath.invalid(text, "must be a relative path");
  checkNoBacksteps(text, fldPath);
}

/** As `checkDescendingPath`; what begins with two dots is the kubelet's. */
export function checkLocalPath(text: string, fldPath: ValidationPath): void {
  checkDescendingPath(text, fldPath);
  if (text.startsWith("..") && !text.startsWith("../")) {
    fldPath.invalid(text, "must not start with '..'");
  }
}

export function isLocalPath(text: string): boolean {
  return !text.startsWith("/") && !text.startsWith("..") && !text.split("/").includes("..");
}

export function checkFileMode(mode: number | undefined, fldPath: ValidationPath): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) fldPath.invalid(mode, modeText);
}
