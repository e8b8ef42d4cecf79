// A schema, made ready for decoding: what stands where, in numbers and direct references instead of names to look up. Built when
// first needed, once per schema; schemas go in circles, so parts are reached through getters.
import type { ObjectSchema, Slot, TypeSchema } from "@kubeloop/core/api";
import { schemaNamed } from "@kubeloop/core/api";
import { elementGoType, goTypeName, structName } from "../../go-prose/go-types.ts";

export type ScalarKind =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "number"
  | "bytes"
  | "quantity"
  | "int-or-string"
  | "time"
  | "micro-time"
  | "duration";

/** Places whose JSON may be of several types; each decodes itself. */
export type ChoiceKind = "schema-or-list" | "schema-or-bool" | "schema-or-strings";

export interface TypePlan {
  readonly kind: ScalarKind | ChoiceKind | "json" | "list" | "map" | "object";
  /** In Go's messages: `[]v1.Container`. */
  readonly goType: string;
  /** Of an object; of a choice, the schema that may stand there. */
  readonly object: ObjectPlan;
  /** Of a list or map. */
  readonly element: TypePlan;
}

export interface FieldPlan {
  readonly name: string;
  /** Its place in the order in which Go prints. */
  readonly index: number;
  readonly type: TypePlan;
  readonly isPointer: boolean;
  /** Even when it holds nothing. */
  readonly isAlwaysPrinted: boolean;
  /** How Go's messages lead to it from the struct it is in: `VolumeSource.emptyDir`. */
  readonly goPath: string;
  /** That struct: `Volume`. */
  readonly struct: string;
}

export interface ObjectPlan {
  /** Of the struct, in Go's messages: `v1.Volume`. */
  readonly goType: string;
  readonly byName: ReadonlyMap<string, FieldPlan>;
  /** In the order in which Go prints. */
  readonly fields: readonly FieldPlan[];
  /** Those printed even when they hold nothing, in order. */
  readonly alwaysPrinted: readonly FieldPlan[];
}

const plans = new WeakMap<ObjectSchema, ObjectPlan>();

export function planOf(schema: ObjectSchema): ObjectPlan {
  const known = plans.get(schema) ?? buildPlan(schema);
  plans.set(schema, known);
  return known;
}

function buildPlan(schema: ObjectSchema): ObjectPlan {
  const struct = structName(schema);
  const fields = [...schema.fields].map(([name, slot], index): FieldPlan => {
    const goType = schema.go?.types.get(name);
    const embedded = schema.go?.embeddedIn.get(name);
    return {
      name,
      index,
      type: typePlan(slot.schema, goType),
      // Where nobody knows, what was given is kept.
      isPointer: slot.isPointer ?? true,
      isAlwaysPrinted: slot.isAlwaysPrinted ?? false,
      goPath: embedded === undefined ? name : `${embedded}.${name}`,
      struct,
    };
  });
  return {
    goType: goTypeName(schema),
    byName: new Map(fields.map((field) => [field.name, field])),
    fields,
    alwaysPrinted: fields.filter((field) => field.isAlwaysPrinted),
  };
}

function typePlan(schema: TypeSchema, named: string | undefined): TypePlan {
  const goType = named ?? goTypeName(schema);
  const kind = kindOf(schema, goType);
  let object: ObjectPlan | undefined;
  let element: TypePlan | undefined;
  return {
    kind,
    goType,
    get object() {
      object ??= planOf(schema.type === "object" ? schema : choiceSchema());
      return object;
    },
    get element() {
      element ??= typePlan(elementSlot(schema).schema, elementGoType(goType));
      return element;
    },
  };
}

function kindOf(schema: TypeSchema, goType: string): TypePlan["kind"] {
  if (schema.type === "scalar") return schema.scalar === "integer" ? "int64" : schema.scalar;
  if (schema.type === "json") return choices[goType] ?? "json";
  return schema.type;
}

const choices: { readonly [goType: string]: ChoiceKind } = {
  "v1.JSONSchemaPropsOrArray": "schema-or-list",
  "v1.JSONSchemaPropsOrBool": "schema-or-bool",
  "v1.JSONSchemaPropsOrStringArray": "schema-or-strings",
};

const noFields: ObjectSchema = {
  type: "object",
  name: undefined,
  kinds: [],
  fields: new Map(),
  mapType: "granular",
  unions: [],
  preservesUnknownFields: false,
  isEmbeddedResource: false,
};

function choiceSchema(): ObjectSchema {
  return schemaNamed("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps") ?? noFields;
}

function elementSlot(schema: TypeSchema): Slot {
  if (schema.type === "list") return schema.items;
  if (schema.type === "map") return schema.values;
  throw new TypeError(`a ${schema.type} has no elements`);
}
