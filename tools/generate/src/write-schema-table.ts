// The schema table: one JSON object, one definition a line, as a string. Core decodes it on first use. `packages` says
// how to get from the short names inside (`core.v1`) to the names OpenAPI uses (`io.k8s.api.core.v1`).
import type { GoFields } from "./go-fields.ts";
import { hasOwnVersion, homeOf, tableName } from "./names.ts";
import { compareText, type OpenApi } from "./openapi.ts";
import { header, templateLiteral } from "./output.ts";
import { toDefinition } from "./schema-nodes.ts";
import { specialType } from "./special-types.ts";

export function writeSchemaTable(openApi: OpenApi, goFields: GoFields): string {
  const names = [...openApi.definitions.keys()].filter((name) => specialType(name) === undefined);
  const packages = new Map<string, string>();
  for (const name of names.filter(hasOwnVersion)) {
    const home = homeOf(name);
    packages.set(`${home.folder}.${home.version}`, home.package);
  }
  const definitions = names
    .map((name): [string, string] => [
      tableName(name),
      JSON.stringify(toDefinition(name, openApi.definitions.get(name) ?? {}, goFields.get(name))),
    ])
    .sort(([a], [b]) => compareText(a, b));
  const packageLines = [...packages].sort(([a], [b]) => compareText(a, b)).map(toLine);
  const definitionLines = definitions.map(([name, definition]) => `${JSON.stringify(name)}:${definition}`);
  const table = `{"packages":{\n${packageLines.join(",\n")}\n},"definitions":{\n${definitionLines.join(",\n")}\n}}`;
  return `${header}export const schemaTable: string = ${templateLiteral(table)};\n`;
}

function toLine([key, value]: readonly [string, string]): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}
