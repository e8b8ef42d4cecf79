// The table of the Go structs that a pod template consists of, for the dump that its hash is made of. One struct a line, its fields in Go's
// order; controllers' `domain/go-dump.ts` reads it:
//
//   table  = line*
//   line   = struct (" " field ("=" JSON name)? ":" type)*   or   "string" (" " type)*   or   "is" (" " type "=" type)*
//
// A field without a JSON name has that of Go with a small first letter; an empty JSON name is that of an embedded struct, whose fields lie in
// its parent's JSON. After "string" stand the types that are strings under another name, after "is" those that are anything else.
import { GenerateError } from "./generate-error.ts";
import { asObject } from "./json.ts";
import { compareText } from "./openapi.ts";
import { header, type OutputFiles, templateLiteral } from "./output.ts";

/** The paths are relative to the `generated` folder of the controllers' domain. */
export function generateGoStructs(input: unknown): OutputFiles {
  const { structs, named } = asObject(input, "the structs of a pod template");
  const lines = Object.entries(asObject(structs, "structs"))
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([name, fields]) => [name, ...toRows(fields, name).map(toField)].join(" "));
  const others = Object.entries(asObject(named, "named")).toSorted(([a], [b]) => compareText(a, b));
  const strings = others.flatMap(([name, type]) => (type === "string" ? [name] : []));
  const rest = others.flatMap(([name, type]) => (type === "string" ? [] : [`${name}=${String(type)}`]));
  const table = [...lines, ["string", ...strings].join(" "), ["is", ...rest].join(" ")].join("\n");
  return new Map([["go-structs.ts", `${header}export const goStructs: string = ${templateLiteral(table)};\n`]]);
}

type Row = readonly [name: string, json: string, type: string];

function toRows(fields: unknown, struct: string): readonly Row[] {
  const isRow = (row: unknown): row is Row => Array.isArray(row) && row.length === 3 && row.every(isWord);
  if (!Array.isArray(fields) || !fields.every(isRow)) throw new GenerateError(`${struct} must be a list of fields`);
  return fields;
}

const isWord = (word: unknown) => typeof word === "string" && !/[ :=\n]/.test(word);

function toField([name, json, type]: Row): string {
  const isUsual = json === name.charAt(0).toLowerCase() + name.slice(1);
  return `${isUsual ? name : `${name}=${json}`}:${type}`;
}
