// Reads a document by the shape that Go's structs give it, strictly, as upstream's decoder does: a value of another type ends it at once; fields that are
// not known are collected, so that a user sees all of them.
import { DurationError, parseDuration } from "@kubeloop/core/api";
import { SchedulerConfigurationError } from "./configuration-error.ts";

export type Shape =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "float32"
  /** Text such as `15s`. */
  | "duration"
  /** Whatever is there. */
  | "raw"
  | { readonly listOf: Shape }
  | { readonly struct: string; readonly fields: Readonly<Record<string, Shape>> };

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the paths of fields that the shape does not have. Throws a SchedulerConfigurationError for a value of another type, in Go's words. */
export function findUnknownFields(value: unknown, shape: Shape): readonly string[] {
  const unknown: string[] = [];
  visit(value, shape, { path: "", field: "", struct: "" });
  return unknown;

  function visit(each: unknown, of: Shape, at: { path: string; field: string; struct: string }): void {
    if (each === undefined || each === null || of === "raw") return;
    if (typeof of === "string") {
      checkScalar(each, of, at);
      return;
    }
    if ("listOf" in of) {
      if (!Array.isArray(each)) throw mismatch(each, at, "[]");
      for (const [index, item] of each.entries()) visit(item, of.listOf, { ...at, path: `${at.path}[${index}]` });
      return;
    }
    if (!isObject(each)) throw mismatch(each, at, of.struct);
    for (const [name, item] of Object.entries(each)) {
      const path = at.path === "" ? name : `${at.path}.${name}`;
      const field = at.field === "" ? name : `${at.field}.${name}`;
      const inner = of.fields[name];
      if (inner === undefined) unknown.push(path);
      else visit(item, inner, { path, field, struct: of.struct });
    }
  }
}

function checkScalar(
  value: unknown,
  type: Extract<Shape, string>,
  at: { readonly field: string; readonly struct: string },
): void {
  switch (type) {
    case "duration":
      if (typeof value !== "string") throw mismatch(value, at, "string");
      checkDuration(value);
      return;
    case "string":
      if (typeof value !== "string") throw mismatch(value, at, type);
      return;
    case "bool":
      if (typeof value !== "boolean") throw mismatch(value, at, type);
      return;
    case "float32":
      if (typeof value !== "number") throw mismatch(value, at, type);
      return;
    default:
      if (typeof value !== "number") throw mismatch(value, at, type);
      if (!Number.isSafeInteger(value) || (type === "int32" && Math.abs(value) >= 2 ** 31)) {
        throw mismatch(value, at, type, ` ${value}`);
      }
  }
}

function checkDuration(text: string): void {
  try {
    parseDuration(text);
  } catch (error) {
    if (error instanceof DurationError) throw new SchedulerConfigurationError([error.message]);
    throw error;
  }
}

function mismatch(
  value: unknown,
  { field, struct }: { readonly field: string; readonly struct: string },
  type: string,
  detail = "",
): SchedulerConfigurationError {
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new SchedulerConfigurationError([
    `json: cannot unmarshal ${kind}${detail} into Go struct field ${struct}.${field} of type ${type}`,
  ]);
}
