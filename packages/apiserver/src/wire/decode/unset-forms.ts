// What a Go server prints where nothing was set, and which values are the same to it as nothing.
import type { ObjectSchema } from "@kubeloop/core/api";
import { type FieldPlan, type ObjectPlan, planOf, type TypePlan } from "./plan.ts";

export type JsonDraft = Record<string, unknown>;

/** What stands in a field of an object in which it was not set: `{ loadBalancer: {} }` for a Service's `status`; or undefined. */
export function unsetValue(schema: ObjectSchema, name: string): unknown {
  const field = planOf(schema).byName.get(name);
  return field === undefined ? undefined : unsetForm(field);
}

/** Of a field that is absent or null; undefined where Go omits it. */
export function unsetForm(field: FieldPlan): unknown {
  if (!field.isAlwaysPrinted) return undefined;
  return field.isPointer ? null : zeroForm(field.type);
}

/** A struct in which nothing is set: `{ loadBalancer: {} }`. */
export function unsetObject(plan: ObjectPlan): JsonDraft {
  const object: JsonDraft = {};
  for (const field of plan.alwaysPrinted) object[field.name] = unsetForm(field);
  return object;
}

/** Go's zero value, as it prints: also what a null in a list or map becomes. */
export function zeroForm(type: TypePlan): unknown {
  switch (type.kind) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "number":
    case "int-or-string":
      return 0;
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    case "object":
      return unsetObject(type.object);
    default:
      return null;
  }
}

/**
 * The same to Go as if it were not there: zeros held by value, and empty lists and maps, which its storage does not tell from
 * absent ones. Null is what Go prints of a zero time.
 */
export function isUnset(held: unknown, { type, isPointer, isAlwaysPrinted }: FieldPlan): boolean {
  if (isPointer) return false;
  if (held === null) return true;
  if (typeof held !== "object") return !isAlwaysPrinted && (held === "" || held === 0 || held === false);
  if (type.kind === "list") return (held as readonly unknown[]).length === 0;
  return type.kind === "map" && isEmptyMap(held);
}

function isEmptyMap(map: object): boolean {
  for (const _ in map) return false;
  return true;
}

/** Whether a null that comes after a value leaves it as it is, as Go's decoder does with what is not nullable. */
export function keepsOnNull({ isPointer, type }: FieldPlan): boolean {
  return !isPointer && ["string", "boolean", "int32", "int64", "number", "object"].includes(type.kind);
}

/** The same fields in the order in which Go prints, with those that are always printed. */
export function inOrder(object: JsonDraft, plan: ObjectPlan): JsonDraft {
  const ordered: JsonDraft = {};
  for (const field of plan.fields) {
    const held = object[field.name];
    const shown = held === undefined ? unsetForm(field) : held;
    if (shown !== undefined) ordered[field.name] = shown;
  }
  return ordered;
}
