// What the embedded API server shows and begins with, from facts read off a real one: the columns of its tables, the objects a fresh
// server makes, and its OpenAPI documents. Pure: the same documents give the same bytes. Large texts are packed: they are needed
// rarely, and then unpacked once.
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { asObject } from "./json.ts";
import { header, type OutputFiles, templateLiteral } from "./output.ts";

export interface ServerInputs {
  /** "v1/pods" or "apps/v1/deployments" → columns. */
  readonly tableColumns: unknown;
  /** Objects, without what a server sets itself. */
  readonly bootstrapObjects: unknown;
  /** Documents by their path below /openapi/v3, as a default server gives them (those of the API's types are of all features). */
  readonly openapi: unknown;
}

/** How a large value becomes an expression. Packing is not the same bytes on every Node, so comparisons are made of what is in it. */
export type Pack = (value: unknown) => string;

export function generateServer(inputs: ServerInputs, pack: Pack = packed): OutputFiles {
  return new Map([
    ["table-columns.ts", writeTableColumns(inputs.tableColumns)],
    ["bootstrap-objects.ts", `${header}export const bootstrapObjects = ${pack(inputs.bootstrapObjects)};\n`],
    ["openapi-documents.ts", writeOpenApiDocuments(inputs, pack)],
  ]);
}

/** One line per resource; most columns repeat, so each distinct one is written once. */
function writeTableColumns(input: unknown): string {
  const columns = Object.entries(asObject(input, "the table columns"));
  const distinct = [...new Set(columns.flatMap(([, list]) => (list as unknown[]).map((each) => JSON.stringify(each))))];
  const rows = columns.map(([resource, list]) => {
    const numbers = (list as unknown[]).map((each) => distinct.indexOf(JSON.stringify(each)));
    return `${JSON.stringify(resource)}:${JSON.stringify(numbers)}`;
  });
  const table = `{"columns":[\n${distinct.join(",\n")}\n],"resources":{\n${rows.sort().join(",\n")}\n}}`;
  return `${header}export const tableColumns = ${templateLiteral(table)};\n`;
}

/** Schemas once, whatever documents have them; of a document its paths and the names of its schemas. */
function writeOpenApiDocuments({ openapi }: ServerInputs, pack: Pack): string {
  const schemas: Record<string, string> = {};
  const variants = new Map<string, string>();
  const documents: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(asObject(openapi, "the OpenAPI input"))) {
    const document = asObject(value, path);
    const components = asObject(document["components"] ?? {}, `${path} components`);
    const names = Object.entries(asObject(components["schemas"] ?? {}, `${path} schemas`)).map(([name, schema]) => {
      const text = JSON.stringify(schema);
      const id = `${name} ${text}`;
      const known = variants.get(id);
      if (known !== undefined) return known;
      // A few (DeleteOptions, WatchEvent) list the kinds of their group: these have a text of their own in each document.
      const unique = schemas[name] === undefined ? name : `${name} ${path}`;
      schemas[unique] = text;
      variants.set(id, unique);
      return unique;
    });
    const { schemas: _schemas, ...otherComponents } = components;
    const { components: _components, paths, ...rest } = document;
    documents[path] = {
      head: JSON.stringify(rest),
      paths: JSON.stringify(paths ?? {}),
      components: JSON.stringify(otherComponents),
      schemas: names,
    };
  }
  return `${header}export const openApiDocuments = ${pack({ schemas, documents })};\n`;
}

/** Left as it is: for comparing. */
export const plain: Pack = (value) => JSON.stringify(JSON.stringify(value));

/** A generated text whose packed values are plain. */
export function unpacked(text: string): string {
  return text.replace(/ = "([A-Za-z0-9+/=]{1000,})";/, (_all, base64: string) => {
    const json = brotliDecompressSync(Buffer.from(base64, "base64")).toString("utf8");
    return ` = ${JSON.stringify(json)};`;
  });
}

/** Brotli in base64, as a string. */
function packed(value: unknown): string {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return JSON.stringify(brotliCompressSync(JSON.stringify(value), { params }).toString("base64"));
}
