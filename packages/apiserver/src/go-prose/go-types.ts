// What Go's messages call a type. Most names follow from the schema; those that do not (`v1.PullPolicy`, `types.UID`) are in the
// schema table.
import type { ObjectSchema, ScalarType, TypeSchema } from "@kubeloop/core/api";

const scalarNames: { readonly [type in ScalarType]: string } = {
  string: "string",
  bytes: "[]uint8",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  integer: "int64",
  number: "float64",
  quantity: "resource.Quantity",
  "int-or-string": "intstr.IntOrString",
  time: "v1.Time",
  "micro-time": "v1.MicroTime",
  duration: "v1.Duration",
};

/** `v1.Pod`, `[]string`, `map[string]v1.Counter`. */
export function goTypeName(schema: TypeSchema): string {
  switch (schema.type) {
    case "scalar":
      return scalarNames[schema.scalar];
    case "json":
      return "runtime.RawExtension";
    case "list":
      return `[]${goTypeName(schema.items.schema)}`;
    case "map":
      return `map[string]${goTypeName(schema.values.schema)}`;
    case "object":
      return schema.name?.split(".").slice(-2).join(".") ?? "struct";
  }
}

/** Without its package: `Pod`. */
export function structName(schema: ObjectSchema): string {
  return schema.name?.slice(schema.name.lastIndexOf(".") + 1) ?? "";
}

/** Lists and maps with a name of their own, where the schema does not say what is in them. */
const namedContainers: { readonly [goType: string]: string } = {
  "v1.JSONSchemaDependencies": "map[string]v1.JSONSchemaPropsOrStringArray",
};

/** `v1.Container` for `[]v1.Container`; undefined where the name does not show it (`v1.ResourceList`). */
export function elementGoType(container: string): string | undefined {
  const goType = namedContainers[container] ?? container;
  return /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(goType)?.[1]?.replace(/^\*/, "");
}
