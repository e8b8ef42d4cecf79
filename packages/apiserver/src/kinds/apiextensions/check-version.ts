// What a version of a definition says, or all of them together: a schema, subresources, columns, fields to select by.
import type { apiextensionsv1 } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkRootSchema } from "./check-schema.ts";
import { fieldAt, readSchema } from "./schema-node.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const longestWarning = 256;
const mostSelectable = 8;

export function checkDeprecation(
  { deprecated = false, deprecationWarning }: apiextensionsv1.CustomResourceDefinitionVersion,
  fldPath: ValidationPath,
): void {
  if (deprecationWarning === undefined) return;
  const reasons: string[] = [];
  if (!deprecated) reasons.push("can only be set for deprecated versions");
  else {
    if (Buffer.byteLength(deprecationWarning) > longestWarning)
      reasons.push(`must be <= ${longestWarning} characters long`);
    if (deprecationWarning === "") reasons.push("must not be an empty string");
    const at = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
    if (at !== -1) {
      const index = Buffer.byteLength(deprecationWarning.slice(0, at));
      reasons.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
    }
  }
  fldPath.invalidFor(deprecationWarning, reasons);
}

export function checkValidation(
  validation: apiextensionsv1.CustomResourceValidation | undefined,
  fldPath: ValidationPath,
  options: { readonly hasStatus: boolean },
): void {
  const schema = validation?.openAPIV3Schema;
  if (schema !== undefined) checkRootSchema(readSchema(schema), fldPath, options);
}

export function checkSubresources(
  subresources: apiextensionsv1.CustomResourceSubresources | undefined,
  fldPath: ValidationPath,
): void {
  const { scale } = subresources ?? {};
  if (scale === undefined) return;
  // One name with a dot in it, as upstream has it.
  checkReplicasPath(scale.specReplicasPath, fldPath.at("scale.specReplicasPath"), ".spec");
  checkReplicasPath(scale.statusReplicasPath, fldPath.at("scale.statusReplicasPath"), ".status");
  const { labelSelectorPath: path } = scale;
  if (isAbsent(path)) return;
  const pathFldPath = fldPath.at("scale.labelSelectorPath");
  if (!isSimplePath(path, pathFldPath)) return;
  if (!path.startsWith(".spec.") && !path.startsWith(".status.")) {
    pathFldPath.invalid(path, "should be a json path under either .spec or .status");
  }
}

function checkReplicasPath(path: string | undefined, fldPath: ValidationPath, root: string): void {
  if (isAbsent(path)) fldPath.required();
  else if (isSimplePath(path, fldPath) && !path.startsWith(`${root}.`)) {
    fldPath.invalid(path, `should be a json path under ${root}`);
  }
}

function isSimplePath(path: string, fldPath: ValidationPath): boolean {
  if (path.startsWith(".")) return true;
  fldPath.invalid(path, "must be a simple json path starting with .");
  return false;
}

export function checkColumns(
  columns: readonly apiextensionsv1.CustomResourceColumnDefinition[] | undefined,
  fldPath: ValidationPath,
): void {
  for (const [i, { name, type, format, jsonPath }] of (columns ?? []).entries()) {
    const columnPath = fldPath.item(i);
    if (isAbsent(name)) columnPath.at("name").required();
    const allowed = `must be one of ${columnTypes.join(",")}`;
    if (isAbsent(type)) columnPath.at("type").required(allowed);
    else if (!columnTypes.includes(type)) columnPath.at("type").invalid(type, allowed);
    if (!isAbsent(format) && !columnFormats.includes(format)) {
      columnPath.at("format").invalid(format, `must be one of ${columnFormats.join(",")}`);
    }
    const pathFldPath = columnPath.at("JSONPath");
    if (isAbsent(jsonPath)) pathFldPath.required();
    else isSimplePath(jsonPath, pathFldPath);
  }
}

export function checkSelectableFields(
  fields: readonly apiextensionsv1.SelectableField[] | undefined,
  fldPath: ValidationPath,
  validation: apiextensionsv1.CustomResourceValidation | undefined,
): void {
  const schema = readSchema(validation?.openAPIV3Schema);
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of (fields ?? []).entries()) {
    const pathFldPath = fldPath.item(i).at("jsonPath");
    if (isAbsent(jsonPath)) {
      pathFldPath.required();
      continue;
    }
    const found = fieldAt(schema, jsonPath);
    if (found === undefined) {
      pathFldPath.invalid(jsonPath, "is an invalid path: does not refer to a valid field");
      continue;
    }
    if (jsonPath.startsWith(".metadata")) pathFldPath.invalid(jsonPath, "must not point to fields in metadata");
    if (!["string", "boolean", "integer"].includes(found.type)) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      pathFldPath.invalid(jsonPath, why);
    }
    if (seen.has(jsonPath)) pathFldPath.duplicate(jsonPath);
    seen.add(jsonPath);
  }
  if (seen.size > mostSelectable) fldPath.tooMany(seen.size, mostSelectable);
}
