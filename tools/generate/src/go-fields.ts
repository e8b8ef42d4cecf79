// What OpenAPI does not say about a field and Go's types do: whether a zero is told from absence (held by pointer), whether a
// server prints it when it holds nothing, what messages call its type, and in which embedded struct it lies. The input is
// definition → field → [print, Go type, embedded struct …] in Go's order, as `go/go-fields.go` writes it. Of a definition it
// does not name, nothing is known.
import { GenerateError } from "./generate-error.ts";
import { asObject } from "./json.ts";

export interface GoField {
  /** A server prints it even when it holds nothing. */
  readonly isAlwaysPrinted: boolean;
  readonly isPointer: boolean;
  /** As Go's messages spell it, without the pointer: `v1.PullPolicy`. */
  readonly type: string;
  /** Outermost first; empty for most. */
  readonly embeddedIn: readonly string[];
}

/** By OpenAPI's name of the definition, then by the field's name in JSON, in the order in which Go prints. */
export type GoFields = ReadonlyMap<string, ReadonlyMap<string, GoField>>;

export function decodeGoFields(input: unknown): GoFields {
  const definitions = Object.entries(asObject(input, "the Go fields input"));
  return new Map(
    definitions.map(([definition, fields]) => [
      definition,
      new Map(
        Object.entries(asObject(fields, definition)).map(([name, row]) => [
          name,
          decodeGoField(row, `${definition}.${name}`),
        ]),
      ),
    ]),
  );
}

function decodeGoField(row: unknown, at: string): GoField {
  if (!Array.isArray(row) || !row.every((word): word is string => typeof word === "string")) {
    throw new GenerateError(`${at} must be a list of words`);
  }
  const [print, type, ...embeddedIn] = row;
  if ((print !== "" && print !== "p") || type === undefined) throw new GenerateError(`${at} has no print or no type`);
  return { isAlwaysPrinted: print === "p", isPointer: type.startsWith("*"), type: type.replace(/^\*/, ""), embeddedIn };
}

/** What follows from an expression of the schema table: `[]core.v1.Pod` is `[]v1.Pod` to Go. */
export function goTypeOf(expression: string): string {
  if (expression.startsWith("[]")) return `[]${goTypeOf(expression.slice(2))}`;
  if (expression.startsWith("{}")) return `map[string]${goTypeOf(expression.slice(2))}`;
  return goWords[expression] ?? expression.split(".").slice(-2).join(".");
}

const goWords: { readonly [word: string]: string } = {
  boolean: "bool",
  bytes: "[]uint8",
  number: "float64",
  quantity: "resource.Quantity",
  "int-or-string": "intstr.IntOrString",
  time: "v1.Time",
  "micro-time": "v1.MicroTime",
  duration: "v1.Duration",
  json: "runtime.RawExtension",
};
