// One TypeScript file per group and version, and one with a namespace for each. What the types promise:
//
// - Everything is readonly, all the way down. Required and optional are OpenAPI's, with these differences, all because
//   objects are meant to be read as a server gives them: `apiVersion` and `kind` of a kind are required literals, its
//   `metadata` is required, and a `spec` is required where it has required fields of its own (no server takes the
//   object without). Within a list or a field a kind's own `apiVersion` and `kind` are optional, except in `items`.
// - Scalars are what JSON carries: strings for times, quantities and bytes, `number | string` for IntOrString.
// - Where any JSON may stand the type is `unknown`.
import { apiVersionOf, type Home, homeOf } from "./names.ts";
import { compareText, kindsOf, type OpenApi, type OpenApiSchema } from "./openapi.ts";
import { header, type OutputFiles } from "./output.ts";
import { referenceOf } from "./schema-nodes.ts";
import { specialType } from "./special-types.ts";

type Definitions = OpenApi["definitions"];

/** Paths are relative to the `types` folder. */
export function writeTypes(openApi: OpenApi): OutputFiles {
  const names = [...openApi.definitions.keys()].sort((a, b) => compareText(homeOf(a).type, homeOf(b).type));
  const namesByFile = new Map<string, string[]>();
  for (const name of names) {
    const home = homeOf(name);
    const file = `${home.folder}/${home.version}.ts`;
    namesByFile.set(file, [...(namesByFile.get(file) ?? []), name]);
  }
  const files = [...namesByFile].sort(([a], [b]) => compareText(a, b));
  const written = files.map(([file, held]): [string, string] => [file, writeFile(held, openApi.definitions)]);
  const namespaces = files.map(([file, held]) => {
    const home = homeOf(held[0] ?? "");
    return `export type * as ${home.alias} from "./${file}";\n`;
  });
  return new Map([...written, ["index.ts", `${header}${namespaces.join("")}`]]);
}

function writeFile(names: readonly string[], definitions: Definitions): string {
  const writer = new TypeWriter(homeOf(names[0] ?? ""), definitions);
  const body = names.map((name) => writer.declaration(name)).join("\n");
  return `${header}${writer.imports()}${body}${writer.localTypes()}`;
}

class TypeWriter {
  readonly #home: Home;
  readonly #definitions: Definitions;
  readonly #imported = new Map<string, string>();
  #usesEmbedded = false;

  constructor(home: Home, definitions: Definitions) {
    this.#home = home;
    this.#definitions = definitions;
  }

  declaration(name: string): string {
    const schema = this.#definitions.get(name) ?? {};
    const type = homeOf(name).type;
    const special = specialType(name);
    if (special !== undefined) return `export type ${type} = ${special.typescript};\n`;
    if (schema.properties === undefined) return `export type ${type} = ${this.#type(schema, 0)};\n`;
    return `export interface ${type} {\n${this.#fields(schema, 1, onlyKind(schema))}}\n`;
  }

  imports(): string {
    const lines = [...this.#imported].sort(([a], [b]) => compareText(a, b));
    if (lines.length === 0) return "";
    return `${lines.map(([alias, file]) => `import type * as ${alias} from "${file}";\n`).join("")}\n`;
  }

  localTypes(): string {
    if (!this.#usesEmbedded) return "";
    return `
/** A kind inside another object: the place says what it is, so it need not. */
export type Embedded<T extends { readonly apiVersion: string; readonly kind: string }> = Omit<T, "apiVersion" | "kind"> &
  Partial<Pick<T, "apiVersion" | "kind">>;
`;
  }

  #fields(schema: OpenApiSchema, depth: number, kind?: KindFacts): string {
    const required = new Set(schema.required ?? []);
    const indent = "  ".repeat(depth);
    return Object.keys(schema.properties ?? {})
      .sort((a, b) => fieldRank(a, kind) - fieldRank(b, kind) || compareText(a, b))
      .map((name) => {
        const field = schema.properties?.[name] ?? {};
        const literal = kind === undefined ? undefined : literalOf(kind, name);
        const type = literal ?? this.#type(field, depth, kind !== undefined && name === "items");
        const isRequired =
          literal !== undefined ||
          required.has(name) ||
          (kind !== undefined && name === "metadata") ||
          (name === "spec" && this.#mustBeGiven(field));
        return `${indent}readonly ${propertyName(name)}${isRequired ? "" : "?"}: ${type};\n`;
      })
      .join("");
  }

  // A struct held by value (its default is {}) that cannot be valid when empty.
  #mustBeGiven(field: OpenApiSchema): boolean {
    if (JSON.stringify(field.default) !== "{}") return false;
    const target = this.#definitions.get(referenceOf(field) ?? "");
    return (target?.required ?? []).length > 0;
  }

  #type(schema: OpenApiSchema, depth: number, isItems = false): string {
    const reference = referenceOf(schema);
    if (reference !== undefined) return this.#reference(reference, isItems);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return "number | string";
    switch (schema.type) {
      case "array": {
        const element = this.#type(schema.items ?? {}, depth, isItems);
        return /[ &|]/.test(element) && !element.startsWith("{") ? `readonly (${element})[]` : `readonly ${element}[]`;
      }
      case "object":
        return this.#objectType(schema, depth);
      case "integer":
      case "number":
        return "number";
      case "string":
      case "boolean":
        return schema.type;
      default:
        return "unknown";
    }
  }

  #objectType(schema: OpenApiSchema, depth: number): string {
    if (schema.properties !== undefined) return `{\n${this.#fields(schema, depth + 1)}${"  ".repeat(depth)}}`;
    const values = schema.additionalProperties;
    return `{ readonly [key: string]: ${typeof values === "object" ? this.#type(values, depth) : "unknown"} }`;
  }

  #reference(name: string, isItems: boolean): string {
    const home = homeOf(name);
    const isHere = home.folder === this.#home.folder && home.version === this.#home.version;
    if (!isHere) this.#imported.set(home.alias, `../${home.folder}/${home.version}.ts`);
    const type = isHere ? home.type : `${home.alias}.${home.type}`;
    const target = this.#definitions.get(name);
    if (isItems || target === undefined || onlyKind(target) === undefined) return type;
    this.#usesEmbedded = true;
    return `Embedded<${type}>`;
  }
}

interface KindFacts {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What a definition that is exactly one kind says of itself. Options and watch events belong to every group. */
function onlyKind(schema: OpenApiSchema): KindFacts | undefined {
  const [only, ...others] = kindsOf(schema);
  if (only === undefined || others.length > 0) return undefined;
  if (schema.properties?.["kind"] === undefined || schema.properties["apiVersion"] === undefined) return undefined;
  return { apiVersion: apiVersionOf(only), kind: only.kind };
}

// A kind is read from the top: what it is, whose it is, then the rest.
function fieldRank(name: string, kind: KindFacts | undefined): number {
  const first = kind === undefined ? -1 : ["apiVersion", "kind", "metadata"].indexOf(name);
  return first === -1 ? 3 : first;
}

function literalOf(kind: KindFacts, field: string): string | undefined {
  return field === "apiVersion" || field === "kind" ? JSON.stringify(kind[field]) : undefined;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
