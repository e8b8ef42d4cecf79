// The schema of objects, in one form for all code that traverses them: strategic merge, semantic
// equality, server-side apply, validation, pruning, defaulting, protobuf.
//
// A `TypeSchema` is a structure: an object with named fields, a map, a list, a scalar, or any JSON. A `Slot` is a position
// of a value (a field, a list's items, a map's values, a root) with its properties: whether it is
// required, its default, how it is patched. Schemas are recursive, so `slot.schema` is resolved on
// access; traverse schemas only along a value, because otherwise the traversal may not end.
//
// The built-in kinds' schemas come from the generated table (`schema-table.ts`). Schemas of custom resources have
// the same types: `toSlot` fills in defaults. A traversal takes `TypeSchema | undefined`; undefined means
// that the schema is not known, and every traversal must handle that.
//
// Not here: rules across fields (CEL, anyOf). They are part of the validator that evaluates them.
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "./json-value.ts";

/** The scalars that comparison and encoding distinguish. `bytes`, times and quantities are strings in JSON. */
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

/** Any JSON: RawExtension, FieldsV1, a CRD's schemas. */
export interface UntypedSchema {
  readonly type: "json";
}

export interface ListSchema {
  readonly type: "list";
  readonly items: Slot;
  /** For server-side apply. Default: `atomic`. */
  readonly listType: "atomic" | "set" | "map";
  /** For a `map`: the fields that identify its items. */
  readonly listMapKeys: readonly string[];
}

export interface MapSchema {
  readonly type: "map";
  readonly values: Slot;
  /** Default: `granular`. */
  readonly mapType: "granular" | "atomic";
}

export interface ObjectSchema {
  readonly type: "object";
  /** The OpenAPI definition's name (`io.k8s.api.core.v1.Pod`); undefined for an object defined in place. */
  readonly name: string | undefined;
  /** The kinds with this schema, as `v1/Pod` or `apps/v1/Deployment`. */
  readonly kinds: readonly string[];
  readonly fields: ReadonlyMap<string, Slot>;
  readonly mapType: "granular" | "atomic";
  readonly unions: readonly Union[];
  /** Undeclared fields are kept. */
  readonly preservesUnknownFields: boolean;
  /** The value is a whole object with `apiVersion`, `kind` and `metadata`. */
  readonly isEmbeddedResource: boolean;
  /** How Go's messages name the types and embedded structs of its fields. Absent if there is no Go type (custom resources). */
  readonly go?: GoNames;
}

/** Field → its name in Go's messages. */
export interface GoNames {
  /** `imagePullPolicy` → `v1.PullPolicy`, if it does not follow from the schema; without the pointer. */
  readonly types: ReadonlyMap<string, string>;
  /** The embedded Go struct of a field that is flat in JSON: `emptyDir` → `VolumeSource`; nested ones joined by dots. */
  readonly embeddedIn: ReadonlyMap<string, string>;
}

/** Fields of which at most one may be set; the discriminator, if any, names it. */
export interface Union {
  readonly discriminator: string | undefined;
  /** Field → the discriminator's value for it. */
  readonly fields: ReadonlyMap<string, string>;
}

export type TypeSchema = ScalarSchema | UntypedSchema | ListSchema | MapSchema | ObjectSchema;

/** The properties of a slot besides its structure. */
export interface SlotFacts {
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** Undefined if there is no default. */
  readonly default: unknown;
  /** The default is only the type's zero value (`""`, 0, false, {}): what Go prints for an unset field. */
  readonly isZeroDefault: boolean;
  /**
   * The Go field is a pointer, so its zero value differs from its absence (`replicas: 0`, `securityContext: {}`); false if
   * it is a value (`nodeName: ""`, `resources: {}`). Undefined if not known (custom resources).
   */
  readonly isPointer: boolean | undefined;
  /**
   * A Go server prints the field even if it is empty: `status: {}`, `rules: null`, `lastProbeTime: null`. Undefined
   * if not known.
   */
  readonly isAlwaysPrinted: boolean | undefined;
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey: string | undefined;
  readonly enum: readonly unknown[] | undefined;
  /** minimum, maxLength, pattern, format … with OpenAPI's names. */
  readonly limits: JsonObject | undefined;
}

export interface Slot extends SlotFacts {
  readonly schema: TypeSchema;
}

export type PathPart = string | number;

const defaultFacts: SlotFacts = {
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

/** Makes a slot with the given properties and defaults for the others. `schema` may be a function, called once on first access. */
export function toSlot(schema: TypeSchema | (() => TypeSchema), facts: Partial<SlotFacts> = {}): Slot {
  if (typeof schema !== "function") return { ...defaultFacts, ...facts, schema };
  let resolved: TypeSchema | undefined;
  return {
    ...defaultFacts,
    ...facts,
    get schema() {
      resolved ??= schema();
      return resolved;
    },
  };
}

/** Returns the slot of an object's field, a map's value or a list's item; undefined if not known. */
export function childSlot(schema: TypeSchema | undefined, key: PathPart): Slot | undefined {
  if (typeof key === "number") return schema?.type === "list" ? schema.items : undefined;
  if (schema?.type === "object") return schema.fields.get(key);
  return schema?.type === "map" ? schema.values : undefined;
}

/** Returns the slot at a path: `slotAt(podSchema, ["spec", "containers", 0, "image"])`. */
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
 * Rebuilds a value from its changed children, one level deep: the caller recurses. Unchanged children are
 * shared, and if none changed the value itself is returned. A child that becomes undefined is removed. Fields that
 * exist only in the schema are not visited; see `missingFields`.
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

/** Returns the fields that the schema has and the object has not. */
export function missingFields(object: JsonObject, schema: ObjectSchema): readonly (readonly [string, Slot])[] {
  return [...schema.fields].filter(([name]) => ownValue(object, name) === undefined);
}

/** Calls `visit` for a value and everything in it, parents first; if it returns false, the children are skipped. */
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

/** Prints `spec.containers[0].image`, as Kubernetes does; keys that are not plain words are in brackets. */
export function printValuePath(path: readonly PathPart[]): string {
  return path
    .map((part, i) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^[\w$-]+$/.test(part)) return `[${part}]`;
      return i === 0 ? part : `.${part}`;
    })
    .join("");
}
