// The definitions whose OpenAPI schema does not say what they are: scalars with their own rules of comparison and
// encoding, and places where any JSON may stand. Each has a word for the schema table and a TypeScript type.

export interface SpecialType {
  readonly word: string;
  readonly typescript: string;
}

const machinery = "io.k8s.apimachinery.pkg";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

const specialTypes: { readonly [name: string]: SpecialType } = {
  [`${machinery}.api.resource.Quantity`]: { word: "quantity", typescript: "string" },
  [`${machinery}.util.intstr.IntOrString`]: { word: "int-or-string", typescript: "number | string" },
  [`${machinery}.apis.meta.v1.Time`]: { word: "time", typescript: "string" },
  [`${machinery}.apis.meta.v1.MicroTime`]: { word: "micro-time", typescript: "string" },
  [`${machinery}.apis.meta.v1.Duration`]: { word: "duration", typescript: "string" },
  [`${machinery}.apis.meta.v1.FieldsV1`]: { word: "json", typescript: "unknown" },
  [`${machinery}.apis.meta.v1.Patch`]: { word: "json", typescript: "unknown" },
  [`${machinery}.runtime.RawExtension`]: { word: "json", typescript: "unknown" },
  [`${extensions}.JSON`]: { word: "json", typescript: "unknown" },
  [`${extensions}.JSONSchemaPropsOrArray`]: {
    word: "json",
    typescript: "JSONSchemaProps | readonly JSONSchemaProps[]",
  },
  [`${extensions}.JSONSchemaPropsOrBool`]: { word: "json", typescript: "JSONSchemaProps | boolean" },
  [`${extensions}.JSONSchemaPropsOrStringArray`]: { word: "json", typescript: "JSONSchemaProps | readonly string[]" },
};

export function specialType(name: string): SpecialType | undefined {
  return Object.hasOwn(specialTypes, name) ? specialTypes[name] : undefined;
}
