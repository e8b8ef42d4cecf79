// Applies the defaults of a schema. Pure: unchanged parts of the input are shared, and the input itself is returned if nothing
// changed. A null counts as absent where null is not allowed, as for the defaults of structural schemas.
//
// Most defaults in the built-in schemas are only zero values: what Go prints for an unset field (`status: {}`,
// `name: ""`). They are left out unless `zeroValues` is set. The schema does not contain all defaults: many that a real server applies
// to built-in kinds are code.
import { isJsonObject } from "./json-value.ts";
import { mapChildren, missingFields, type Slot, type TypeSchema } from "./schema.ts";

export interface DefaultsOptions {
  /** Also fill in zero values, so that the object has every field a Go server would print. Default: false. */
  readonly zeroValues?: boolean;
}

export function applyDefaults<T>(value: T, schema: TypeSchema | undefined, options?: DefaultsOptions): T;
export function applyDefaults(value: unknown, schema: TypeSchema | undefined, options: DefaultsOptions = {}): unknown {
  const fill = (held: unknown, slot: Slot | undefined): unknown => {
    const isAbsent = held === undefined || (held === null && slot?.isNullable !== true);
    const given = isAbsent && slot !== undefined ? (defaultOf(slot, options) ?? held) : held;
    return slot === undefined ? given : deepen(given, slot.schema);
  };
  const deepen = (held: unknown, at: TypeSchema): unknown => {
    const filled = mapChildren(held, at, fill);
    if (at.type !== "object" || !isJsonObject(filled)) return filled;
    const added = missingFields(filled, at).flatMap(([name, slot]) => {
      const value = fill(undefined, slot);
      return value === undefined ? [] : [[name, value] as const];
    });
    return added.length === 0 ? filled : { ...filled, ...Object.fromEntries(added) };
  };
  return schema === undefined ? value : deepen(value, schema);
}

// A copy, so that no two objects share a default that could be changed.
function defaultOf(slot: Slot, options: DefaultsOptions): unknown {
  if (slot.isZeroDefault && options.zeroValues !== true) return undefined;
  return structuredClone(slot.default);
}
