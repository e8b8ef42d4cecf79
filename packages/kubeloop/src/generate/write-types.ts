// From a schema to TypeScript: an interface for the kind and one for each object inside it, named after the way there
// (`WidgetSpecTemplate`; `…Item` in lists, `…Value` in maps), parents before children. Everything is readonly, because what
// is read is shared.
//
// Types say what an object may look like when it is read: a field with a default that is not required may still be left
// out by who writes, so it stays optional. `unknown` is said where the schema says nothing.
import { docComment } from "./doc-comment.ts";
import { pascalCase, propertyName, UniqueNames } from "./names.ts";
import type { Property, Schema } from "./schema.ts";

export interface RootType {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/** The interfaces, in order, each ended by a line break. */
export function writeTypes(schema: Schema, root: RootType): readonly string[] {
  return new TypeWriter().writeRoot(schema, root);
}

const identityFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const unknownMap = "{ readonly [key: string]: unknown }";

class TypeWriter {
  readonly #names = new UniqueNames();
  readonly #declarations: string[] = [];

  writeRoot(schema: Schema, { name, apiVersion, kind }: RootType): readonly string[] {
    const identity = [
      `  readonly apiVersion: ${JSON.stringify(apiVersion)};\n`,
      `  readonly kind: ${JSON.stringify(kind)};\n`,
      "  readonly metadata: api.metav1.ObjectMeta;\n",
    ];
    this.#declare(name, schema, ownProperties(schema), identity);
    return this.#declarations;
  }

  /** Reserves the place first, so that parents stand before their children. */
  #declare(wanted: string, schema: Schema, properties: readonly Property[], before: readonly string[] = []): string {
    const name = this.#names.take(wanted);
    const place = this.#declarations.push("") - 1;
    const fields = properties.map((property) => this.#field(property, name));
    const rest = schema.keepsUnknownFields ? ["  readonly [key: string]: unknown;\n"] : [];
    const body = [...before, ...fields, ...rest].join("");
    this.#declarations[place] = `${docComment(schema.description, "")}export interface ${name} {\n${body}}\n`;
    return name;
  }

  #field({ name, isRequired, schema }: Property, owner: string): string {
    const type = this.#typeOf(schema, `${owner}${pascalCase(name) || "Field"}`);
    const text = [schema.description, schema.defaultText === undefined ? undefined : `Default: ${schema.defaultText}`]
      .filter((part) => part !== undefined)
      .join("\n\n");
    return `${docComment(text, "  ")}  readonly ${propertyName(name)}${isRequired ? "" : "?"}: ${type};\n`;
  }

  #typeOf(schema: Schema, name: string): string {
    const type = this.#plainTypeOf(schema, name);
    const canBeNull = schema.isNullable && type !== "unknown" && schema.allowed?.includes(null) !== true;
    return canBeNull ? `${type} | null` : type;
  }

  #plainTypeOf(schema: Schema, name: string): string {
    if (schema.isIntOrString) return "api.metav1.IntOrString";
    if (schema.allowed !== undefined) return schema.allowed.map((value) => JSON.stringify(value)).join(" | ");
    switch (schema.type) {
      case "string":
      case "number":
      case "boolean":
        return schema.type;
      case "array":
        return arrayOf(schema.items === undefined ? "unknown" : this.#typeOf(schema.items, `${name}Item`));
      case "object":
        return this.#objectType(schema, name);
      case "unknown":
        return schema.isEmbeddedResource ? this.#objectType(schema, name) : "unknown";
    }
  }

  #objectType(schema: Schema, name: string): string {
    if (schema.isEmbeddedResource) {
      const properties = ownProperties(schema);
      if (properties.length > 0) return `api.KubernetesObject & ${this.#declare(name, schema, properties)}`;
      return schema.keepsUnknownFields ? `api.KubernetesObject & ${unknownMap}` : "api.KubernetesObject";
    }
    if (isCondition(schema)) return "api.metav1.Condition";
    if (schema.properties.length > 0) return this.#declare(name, schema, schema.properties);
    if (schema.values === undefined) return unknownMap;
    return `{ readonly [key: string]: ${this.#typeOf(schema.values, `${name}Value`)} }`;
  }
}

const conditionFields: Readonly<Record<string, { readonly type: Schema["type"]; readonly isRequired: boolean }>> = {
  type: { type: "string", isRequired: true },
  status: { type: "string", isRequired: true },
  reason: { type: "string", isRequired: true },
  message: { type: "string", isRequired: true },
  lastTransitionTime: { type: "string", isRequired: true },
  observedGeneration: { type: "number", isRequired: false },
};

/** Whether it has the fields of metav1.Condition, those that must be there and no others: then the helpers for conditions fit. */
function isCondition({ properties, keepsUnknownFields }: Schema): boolean {
  if (keepsUnknownFields) return false;
  const needed = Object.entries(conditionFields).filter(([, { isRequired }]) => isRequired);
  if (!needed.every(([name]) => properties.some((property) => property.name === name))) return false;
  return properties.every(({ name, isRequired, schema: { type, isNullable } }) => {
    const field = Object.hasOwn(conditionFields, name) ? conditionFields[name] : undefined;
    return field !== undefined && field.type === type && field.isRequired === isRequired && !isNullable;
  });
}

/** Without what every Kubernetes object has. */
function ownProperties(schema: Schema): readonly Property[] {
  return schema.properties.filter(({ name }) => !identityFields.has(name));
}

function arrayOf(item: string): string {
  return /[|&]|^readonly /.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`;
}
