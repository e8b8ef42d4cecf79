// The patch that makes an object on the server what a manifest wants: strategic for kinds whose lists it knows, a merge patch for others.
import { createThreeWayMergePatch, createThreeWayStrategicMerge, schemaOfKind } from "@kubeloop/core/api";
import type { Patch } from "@kubeloop/core/client";
import { KubectlError } from "../kubectl-error.ts";
import type { AnyObject } from "../object-printer.ts";
import { lastApplied } from "./last-applied.ts";

export interface PatchAndBody {
  readonly patch: Patch;
  readonly body: object;
}

/** Undefined if there is nothing to change. */
export function patchOf(modified: AnyObject, current: AnyObject, overwrite: boolean): PatchAndBody | undefined {
  const original = parsed(lastApplied(current) ?? "{}");
  const { apiVersion, kind } = modified;
  const isStrategic = schemaOfKind({ apiVersion, kind }) !== undefined;
  const body = isStrategic
    ? createThreeWayStrategicMerge({ original, modified, current }, { overwrite })
    : createThreeWayMergePatch({ original: { ...original }, modified: { ...modified }, current: { ...current } });
  if (Object.keys(body).length === 0) return undefined;
  return { patch: { type: isStrategic ? "strategic" : "merge", body }, body };
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new KubectlError("the annotation of what was applied last is not JSON");
}
