// Paths inside volumes and containers: where they may lead.
import type { FaultPlace } from "../shared/fault-place.ts";

const modeText = "must be a number between 0 and 0777 (octal), both inclusive";

export function checkNoBacksteps(text: string, place: FaultPlace): void {
  if (text.split("/").includes("..")) place.invalid(text, "must not contain '..'");
}

/** Relative, and never upwards. */
export function checkDescendingPath(text: string, place: FaultPlace): void {
  if (text.startsWith("/")) place.invalid(text, "must be a relative path");
  checkNoBacksteps(text, place);
}

/** As `checkDescendingPath`; what begins with two dots is the kubelet's. */
export function checkLocalPath(text: string, place: FaultPlace): void {
  checkDescendingPath(text, place);
  if (text.startsWith("..") && !text.startsWith("../")) {
    place.invalid(text, "must not start with '..'");
  }
}

export function isLocalPath(text: string): boolean {
  return !text.startsWith("/") && !text.startsWith("..") && !text.split("/").includes("..");
}

export function checkFileMode(mode: number | undefined, place: FaultPlace): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) place.invalid(mode, modeText);
}
