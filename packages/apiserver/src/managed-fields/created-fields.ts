// Which fields whoever creates an object has from then on. Objects that are alike (the pods of one set, the same manifest again and again) give
// the same set, which is kept under an outline of the object: what the comparison with an object that holds nothing depends on, and no more.
import type { ListSchema, TypeSchema } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { compareObjects, given, held } from "./compare-objects.ts";
import type { FieldSet } from "./field-set.ts";
import { asFields, asItems, childSchemaOf, outlineOf, shapeOf, untyped } from "./object-paths.ts";
import { OutlineCache } from "./outline-cache.ts";

const created = new OutlineCache();

/** All that the object holds and the empty one does not, after `finish`, which depends on nothing but `finishedBy`. */
export function createdFields(
  {
    empty,
    object,
    schema = untyped,
  }: { readonly empty: object; readonly object: object; readonly schema?: TypeSchema | undefined },
  finishedBy: string,
  finish: (changed: FieldSet) => FieldSet,
): FieldSet {
  const outline = `${finishedBy} ${outlineBeside(empty, object, schema)}`;
  const known = created.get(empty, outline);
  if (known !== undefined) return known;
  const { added, modified } = compareObjects(empty, object, schema);
  const fields = finish(added.union(modified));
  created.keep(empty, outline, fields);
  return fields;
}

/**
 * Objects with the same outline differ from the empty one in the same paths. Where the empty one holds a value, it matters whether the
 * object's is equal to it; elsewhere only which paths there are.
 */
function outlineBeside(empty: unknown, value: unknown, schema: TypeSchema): string {
  if (value === undefined) return "?";
  if (empty === undefined) return outlineOf(value, schema);
  const shape = shapeOf(schema, value ?? empty);
  if (shape === "list" && asItems(value).length > 0) {
    // No list of an empty object has items; of any other, all that is in the list matters.
    return asItems(empty).length > 0 ? JSON.stringify(value) : outlineOf(value, schema as ListSchema);
  }
  if (shape === "fields" && isFields(value)) {
    const fields = asFields(value);
    const none = asFields(empty);
    let outline = "{";
    for (const name in fields) {
      outline += `${name.length}:${name}${outlineBeside(held(none, name), given(fields, name), childSchemaOf(schema, name))}`;
    }
    return `${outline}}`;
  }
  return deepEqual(empty, value) ? "=" : "!";
}

const isFields = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
