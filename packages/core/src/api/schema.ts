// What is known about the shape of objects, in one form for everything that walks them: strategic merge, semantic
// equality, server-side apply, validation, pruning, defaulting, protobuf.
//
// A `TypeSchema` is a structure: an object with named fields, a map, a list, a scalar, or any JSON. A `Slot` is a place
// where a value can stand (a field, a list's items, a map's values, a root) and what holds there: whether it is
// required, its default, how it is patched. Schemas refer to each other in circles, so `slot.schema` is resolved when
// it is asked for; do not walk schemas without a value to bound the walk.
//
// The built-in kinds' schemas come from the generated table (`schema-table.ts`). Schemas of custom resources are made
// with the same types: `toSlot` fills in what is not said. A walker takes `TypeSchema | undefined`; undefined means
// that nothing is known, and every walker must do something sensible with it.
//
// Not here: rules across fields (CEL, anyOf). They belong to the validator that runs them.
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "./json-value.ts";

/** Scalars as comparison and encoding must tell them apart. `bytes`, times and quantities are strings in JSON. */
export type ScalarType =
  | "string"
  | "bytes"
  | "boolean"
  | "int32"
  | "int64"
  | "integer"
  | "number"
  | "quantity"
  | "int-or-string"
  | "time"
  | "micro-time"
  | "duration";

export type PatchStrategy = "merge" | "replace" | "retainKeys";

export interface ScalarSchema {
  readonly type: "scalar";
  readonly scalar: ScalarType;
}

/** Any JSON may stand here: RawExtension, FieldsV1, a CRD's own schemas. */
export interface UntypedSchema {
  readonly type: "json";
}

export interface ListSchema {
  readonly type: "list";
  readonly items: Slot;
  /** For server-side apply. `atomic` also where nothing is said. */
  readonly listType: "atomic" | "set" | "map";
  /** Of a `map`: the fields that tell its items apart. */
  readonly listMapKeys: readonly string[];
}

export interface MapSchema {
  readonly type: "map";
  readonly values: Slot;
  /** `granular` also where nothing is said. */
  readonly mapType: "granular" | "atomic";
}

export interface ObjectSchema {
  readonly type: "object";
  /** The OpenAPI definition's name (`io.k8s.api.core.v1.Pod`); undefined for an object defined in place. */
  readonly name: string | undefined;
  /** The kinds it is the schema of, as `v1/Pod` or `apps/v1/Deployment`. */
  readonly kinds: readonly string[];
  readonly fields: ReadonlyMap<string, Slot>;
  readonly mapType: "granular" | "atomic";
  readonly unions: readonly Union[];
  /** Fields nobody declared are kept. */
  readonly preservesUnknownFields: boolean;
  /** Holds a whole object with `apiVersion`, `kind` and `metadata`. */
  readonly isEmbeddedResource: boolean;
  /** What Go's messages say of its fields. Absent where there is no Go type (custom resources). */
  readonly go?: GoNames;
}

/** Field → its name in Go's messages. */
export interface GoNames {
  /** `imagePullPolicy` → `v1.PullPolicy`, where it does not follow from the schema; without the pointer. */
  readonly types: ReadonlyMap<string, string>;
  /** The embedded struct a field lies in, flat in JSON: `emptyDir` → `VolumeSource`; deeper ones joined by dots. */
  readonly embeddedIn: ReadonlyMap<string, string>;
}

/** Fields of which at most one may be set; the discriminator, if any, names which. */
export interface Union {
  readonly discriminator: string | undefined;
  /** Field → the discriminator's value for it. */
  readonly fields: ReadonlyMap<string, string>;
}

export type TypeSchema = ScalarSchema | UntypedSchema | ListSchema | MapSchema | ObjectSchema;

/** What holds at a place besides its structure. */
export interface SlotFacts {
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** Undefined where there is none. */
  readonly default: unknown;
  /** The default is only the type's zero value (`""`, 0, false, {}): what Go prints for a field nobody set. */
  readonly isZeroDefault: boolean;
  /**
   * Go holds it by pointer, so that its zero value is not its absence (`replicas: 0`, `securityContext: {}`); false where
   * Go holds it by value (`nodeName: ""`, `resources: {}`). Undefined where nobody knows (custom resources).
   */
  readonly isPointer: boolean | undefined;
  /**
   * A Go server prints the field even when it holds nothing: `status: {}`, `rules: null`, `lastProbeTime: null`. Undefined
   * where nobody knows.
   */
  readonly isAlwaysPrinted: boolean | undefined;
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey: string | undefined;
  readonly enum: readonly unknown[] | undefined;
  /** minimum, maxLength, pattern, format … as OpenAPI spells them. */
  readonly limits: JsonObject | undefined;
}

export interface Slot extends SlotFacts {
  readonly schema: TypeSchema;
}

export type PathPart = string | number;

const unsaid: SlotFacts = {
  isRequired: false,
  isNullable: false,
  default: undefined,
  isZeroDefault: false,
  isPointer: undefined,
  isAlwaysPrinted: undefined,
  patchStrategies: [],
  patchMergeKey: undefined,
  enum: undefined,
  limits: undefined,
};

/** A slot about which only the given facts are known. `schema` may be a function, called once, when first needed. */
export function toSlot(schema: TypeSchema | (() => TypeSchema), facts: Partial<SlotFacts> = {}): Slot {
  if (typeof schema !== "function") return { ...unsaid, ...facts, schema };
  let resolved: TypeSchema | undefined;
  return {
    ...unsaid,
    ...facts,
    get schema() {
      resolved ??= schema();
      return resolved;
    },
  };
}

/** The slot of an object's field, a map's value or a list's item; undefined where nothing is known. */
export function childSlot(schema: TypeSchema | undefined, key: PathPart): Slot | undefined {
  if (typeof key === "number") return schema?.type === "list" ? schema.items : undefined;
  if (schema?.type === "object") return schema.fields.get(key);
  return schema?.type === "map" ? schema.values : undefined;
}

/** The slot at a path: `slotAt(podSchema, ["spec", "containers", 0, "image"])`. */
export function slotAt(schema: TypeSchema | undefined, path: readonly PathPart[]): Slot | undefined {
  let slot: Slot | undefined;
  let at = schema;
  for (const part of path) {
    slot = childSlot(at, part);
    at = slot?.schema;
  }
  return slot;
}

/**
 * Rebuilds a value from its changed children, one level deep: recursion is the caller's. Unchanged children are
 * shared, and if none changed the value itself is returned. A child that becomes undefined is left out. Children that
 * exist only in the schema are not offered; see `missingFields`.
 */
export function mapChildren(
  value: unknown,
  schema: TypeSchema | undefined,
  change: (child: unknown, slot: Slot | undefined, key: PathPart) => unknown,
): unknown {
  if (isJsonList(value)) {
    const changed = value.map((item, i) => change(item, childSlot(schema, i), i));
    return changed.every((item, i) => item === value[i]) ? value : changed.filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  const changed = keys.map((key): [string, unknown] => [key, change(value[key], childSlot(schema, key), key)]);
  if (changed.every(([key, child]) => child === value[key])) return value;
  return Object.fromEntries(changed.filter(([, child]) => child !== undefined));
}

/** The fields an object's schema has and the object has not. */
export function missingFields(object: JsonObject, schema: ObjectSchema): readonly (readonly [string, Slot])[] {
  return [...schema.fields].filter(([name]) => ownValue(object, name) === undefined);
}

/** Calls `visit` for a value and all it holds, parents first; answering false skips what a value holds. */
export function visitValue(
  value: unknown,
  schema: TypeSchema | undefined,
  visit: (value: unknown, schema: TypeSchema | undefined, path: readonly PathPart[]) => boolean,
): void {
  const step = (at: unknown, known: TypeSchema | undefined, path: readonly PathPart[]): void => {
    if (!visit(at, known, path)) return;
    if (isJsonList(at)) {
      for (const [i, item] of at.entries()) step(item, childSlot(known, i)?.schema, [...path, i]);
    } else if (isJsonObject(at)) {
      for (const key of Object.keys(at)) step(at[key], childSlot(known, key)?.schema, [...path, key]);
    }
  };
  step(value, schema, []);
}

/** `spec.containers[0].image`, as Kubernetes writes paths; keys that are no plain words stand in brackets. */
export function printValuePath(path: readonly PathPart[]): string {
  return path
    .map((part, i) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^[\w$-]+$/.test(part)) return `[${part}]`;
      return i === 0 ? part : `.${part}`;
    })
    .join("");
}
