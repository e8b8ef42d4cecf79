// What OpenAPI does not say: whether Go holds a scalar by pointer (`replicas`: 0 is not absent) or by value
// (`nodeName`: "" is absent). The input is definition → scalar field → whether it is a pointer, read off the Go types'
// reflection; embedded structs lie flat in it, as in JSON. Of a field it does not name, nothing is known.
import { GenerateError } from "./generate-error.ts";
import { asObject } from "./json.ts";

/** By OpenAPI's name of the definition, then by the field's name in JSON. */
export type Pointers = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

export function decodePointers(input: unknown): Pointers {
  const definitions = Object.entries(asObject(input, "the pointers input"));
  return new Map(
    definitions.map(([definition, fields]) => [
      definition,
      new Map(
        Object.entries(asObject(fields, definition)).map(([name, isPointer]) => {
          if (typeof isPointer !== "boolean") throw new GenerateError(`${definition}.${name} must be true or false`);
          return [name, isPointer];
        }),
      ),
    ]),
  );
}
